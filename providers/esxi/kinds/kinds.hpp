// SPDX-License-Identifier: Apache-2.0
// The kinds of resource of ESXi hosts.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "providers/cards/card_settings.hpp"
#include "providers/esxi/kinds/cards.hpp"
#include "providers/esxi/kinds/reading_provider.hpp"
#include "providers/os/os_version.hpp"

namespace fabric::providers::esxi {

// "adapter": that the card of the document is there, and what it is. Lists NICs,
// RDMA devices and cards.
class AdapterProvider final : public ReadingProvider {
 public:
  std::string_view kind() const override { return kinds::kAdapter; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
};

// "drain": whether a run that entered the maintenance mode still has to leave it. `drained`,
// running: the record of platform/maintenance_mode.hpp, which no boot wipes. `in_maintenance`,
// running: the mode itself, whatever has entered it. `held_machines`, running: the machines that
// hold a virtual function.
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

// "module": the options of a driver, as its next load will have them
// (E-esxi-module-options).
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

// "os": the version of ESXi. Lists what else is asked of a host first: maintenance
// mode, uptime, image, and which vCenter manages it.
class OsProvider final : public OsVersionProvider {
 public:
  std::vector<Probe> probes() const override;
  Map inventory(const NodeFacts& facts) const override;

 private:
  Result<OsVersion> version_of(const NodeFacts& facts) const override;
};

// "recovery": a card that the firmware tools do not see is seen after a boot with
// the driver in its recovery mode, and a second boot ends that (E-esxi-recovery).
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

// What mlxconfig tells of the card.
CardSettings settings_of(const NodeFacts& facts, const EsxCard& card);

// "settings": the firmware parameters of a card, by the vendor's mlxconfig.
class SettingsProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSettings; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource&, std::string_view) const override { return false; }
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  // What decides of virtual functions and of how a card shows itself.
  Map inventory(const NodeFacts& facts) const override;
  // By the note (sriov/functions_note.hpp).
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// "software": the vendor's packages, which fabric verifies and does not install.
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

// "sriov": how many virtual functions the ports of a card have.
class SriovProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSriov; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
  // By the note (sriov/functions_note.hpp).
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// "vswitch": the MTU of a virtual switch, of its uplinks and of what the kernel
// has on it. A distributed switch is vCenter's: it is looked at and never changed.
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
