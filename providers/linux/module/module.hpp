// SPDX-License-Identifier: Apache-2.0
// Provider "module": a kernel module that is loaded, now and at every boot, with parameters.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

// `loaded`, and one attribute for each parameter, running and in files of ours below
// /etc/modules-load.d and /etc/modprobe.d. What else loads the module at boot is as good. A
// parameter that the kernel does not let change while the module is loaded needs a boot; those of
// the cards' own drivers need their files in the initramfs too. Nothing is ever unloaded.
// Diagnostics: foreign-configuration where another file gives a parameter another value, or forbids
// the module.
class ModuleProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kModule; }
  std::vector<Probe> probes() const override;
  // Features are parameters: any.
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
