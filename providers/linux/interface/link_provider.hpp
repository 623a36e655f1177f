// SPDX-License-Identifier: Apache-2.0
// LinkProvider: network interfaces, now and after a boot. Kind "interface": MTU, addresses and
// routes of one port of a card, or its being a slave of a bond; on InfiniBand the mode of IPoIB.
// "bond": the bond of a network of mode lag, its options and its slaves; whatever the slaves need
// to become its slaves is its work too, so that a port is moved into a bond once and not twice.
// "vlan": an 802.1Q VLAN on a port or a bond. "ipoib": an IPoIB child in one partition of the
// port's subnet. They differ in what a resource is bound to (find_link).
#pragma once

#include "engine/provider/provider.hpp"

namespace fabric::providers {

// Diagnostics: foreign-configuration, interface-name-unknown, network-backend-unknown,
// package-missing, bond-not-aggregated. Does every form that expand() asks of these kinds.
class LinkProvider final : public Provider {
 public:
  explicit LinkProvider(std::string_view kind) : kind_{kind} {}
  std::string_view kind() const override { return kind_; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;

 private:
  std::string_view kind_;
};

}  // namespace fabric::providers
