// SPDX-License-Identifier: Apache-2.0
// Provider "software": the RDMA driver stack of a node and its tools. Only checked: stacks are not
// installed over one another, and never mixed.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

// Attributes of what runs: `stack`, `minimum` (its version; of inbox, the kernel's) and `mft`, the
// oldest version of the Mellanox Firmware Tools. Satisfied reads as the desired value itself.
// Diagnostics: software-mismatch.
class SoftwareProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSoftware; }
  std::vector<Probe> probes() const override;
  // Not the bundles of ESXi.
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::string vendor_drivers(const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
