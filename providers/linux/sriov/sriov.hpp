// SPDX-License-Identifier: Apache-2.0
// Provider "sriov": the virtual functions of a card, the same number on each of its ports. A udev
// rule makes them at every boot; whether the firmware has that many is the matter of "settings".
// mlx5 only: the driver of older cards takes the number as a module parameter.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

class SriovProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSriov; }
  std::vector<Probe> probes() const override;
  // Virtual functions for this host; not a whole card for a guest, which is a hypervisor's matter.
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  // Those in use go away when their number changes: the kernel knows no other way than by none.
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
