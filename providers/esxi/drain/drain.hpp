// SPDX-License-Identifier: Apache-2.0
// Provider "drain" on ESXi: whether a run that entered the maintenance mode still has to leave it.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers::esxi {

// `drained`, running: the note of platform/maintenance_mode.hpp, which no boot wipes.
// `in_maintenance`, running: the mode itself, whoever has entered it. `held_machines`, running: who
// holds a virtual function.
class DrainProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kDrain; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::none;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers::esxi
