// SPDX-License-Identifier: Apache-2.0
// Provider "link_name": the persistent name of one port's Ethernet interface, by a .link file
// or a udev rule. In force after a boot: udev renames interfaces only as they appear.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

class LinkNameProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kLinkName; }
  std::vector<Probe> probes() const override;
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
