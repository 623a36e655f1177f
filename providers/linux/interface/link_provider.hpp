// SPDX-License-Identifier: Apache-2.0
// LinkProvider: what the providers of ports, bonds, VLANs and IPoIB children have in common. They
// differ in what a resource is bound to (find_link) and in what its attributes interrupt.
#pragma once

#include "engine/provider/provider.hpp"

namespace fabric::providers {

// Diagnostics: foreign-configuration, interface-name-unknown, network-backend-unknown,
// package-missing, bond-not-aggregated. Does every form that expand() asks of these kinds.
class LinkProvider : public Provider {
 public:
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
};

}  // namespace fabric::providers
