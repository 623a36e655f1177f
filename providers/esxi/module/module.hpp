// SPDX-License-Identifier: Apache-2.0
// Provider "module" on ESXi: the options of a driver, as its next load will have them
// (E-esxi-module-options).
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers::esxi {

class ModuleProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kModule; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers::esxi
