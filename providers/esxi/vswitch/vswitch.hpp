// SPDX-License-Identifier: Apache-2.0
// Provider "vswitch" on ESXi: the MTU of a virtual switch, of its uplinks and of what the kernel
// has on it. A distributed switch is vCenter's: it is looked at and never changed.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers::esxi {

// `mtu`: that of the switch and of its uplinks, the least of them. `vmkernel_mtu`: that of the
// interfaces of the kernel on it, the one that differs from what is desired. Both hold at once and
// for the next boot. Beside them, running: kVmkernelAddresses (engine/provider/vmkernel.hpp).
class VswitchProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kVswitch; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::link;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers::esxi
