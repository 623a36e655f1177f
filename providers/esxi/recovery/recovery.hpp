// SPDX-License-Identifier: Apache-2.0
// Provider "recovery" on ESXi: a card that the firmware tools do not see is seen after a boot with
// the driver in its recovery mode, and a second boot ends that (E-esxi-recovery).
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers::esxi {

// `shown`, running: mst shows the card. `mode`: "recovery" or "normal"; next_boot by the option of
// the driver, running the same but where the option was changed since the boot, when it is the
// other one. Whatever step of the two boots a host is in, these tell it.
class RecoveryProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kRecovery; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::reboot;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers::esxi
