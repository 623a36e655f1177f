// SPDX-License-Identifier: Apache-2.0
// Provider "package": software of the distribution that must be there. What is missing is
// installed; nothing is ever upgraded or removed but what fabric itself installed, to roll it back.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

// One attribute, `installed`, in the persistent layer. By apt-get, dnf, yum or zypper.
class PackageProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kPackage; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
