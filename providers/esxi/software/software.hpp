// SPDX-License-Identifier: Apache-2.0
// Provider "software" on ESXi: the vendor's packages, which fabric verifies and does not install.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "providers/esxi/reading_provider.hpp"

namespace fabric::providers::esxi {

class SoftwareProvider final : public ReadingProvider {
 public:
  std::string_view kind() const override { return kinds::kSoftware; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
};

}  // namespace fabric::providers::esxi
