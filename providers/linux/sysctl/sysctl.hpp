// SPDX-License-Identifier: Apache-2.0
// Providers "sysctl" and "tuning": kernel parameters of one purpose, in a drop-in of ours.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

// Values are texts; runs of blanks count as one. Diagnostics: foreign-configuration where a file
// that is read after ours says something else.
class SysctlProvider : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSysctl; }
  std::vector<Probe> probes() const override;
  // Features are keys: those that the probe reads.
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

// The same for a named profile, in a file that is read before those of "sysctl".
class TuningProvider final : public SysctlProvider {
 public:
  std::string_view kind() const override { return kinds::kTuning; }
};

}  // namespace fabric::providers
