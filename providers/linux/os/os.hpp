// SPDX-License-Identifier: Apache-2.0
// Provider "os": the release and the kernel that a node runs. Only checked.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

// Attributes of what runs: `release` (by name, version or both: "debian", "12", "debian-12",
// "bookworm") and `minimum`, the oldest kernel. Satisfied reads as the desired value itself.
// Diagnostics: os-mismatch.
class OsProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kOs; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
