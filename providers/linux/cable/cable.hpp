// SPDX-License-Identifier: Apache-2.0
// Provider "cable": whether a port sees the other end of its cable. A person does the rest.
#pragma once

#include "engine/provider/provider.hpp"

namespace fabric::providers {

// Attribute `carrier` of what runs: true if the kernel sees one; false also while the interface is
// down, of which the kernel says nothing (sysfs-class-net: reading `carrier` then fails).
class CableProvider final : public Provider {
 public:
  // "cable", or "carrier" of what is only watched (model/resource_keys.hpp).
  explicit CableProvider(std::string_view kind) : kind_{kind} {}
  std::string_view kind() const override { return kind_; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  // One action, by hand: binding.instruction, for binding.wait_ms.
  Result<Work> work(const Change& change, const WorkContext& context) const override;

 private:
  std::string_view kind_;
};

}  // namespace fabric::providers
