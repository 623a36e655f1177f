// SPDX-License-Identifier: Apache-2.0
// The kinds of resource of switches with NVUE.
#pragma once

#include "providers/nvue/kinds/switch_provider.hpp"
#include "providers/os/os_version.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers::nvue {

// Release of the system; only checked.
class OsProvider final : public OsVersionProvider {
 public:
  std::vector<Probe> probes() const override;
  Map inventory(const NodeFacts& facts) const override;

 private:
  Result<OsVersion> version_of(const NodeFacts& facts) const override;
};

// Ports that are in no bond: Ethernet on Cumulus, InfiniBand on NVOS.
class PortProvider final : public SwitchProvider {
 public:
  PortProvider() : SwitchProvider{"interface", Disruption::link} {}
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  Map inventory(const NodeFacts& facts) const override;
  std::vector<NetDevice> front_ports(const NodeFacts& facts) const override;

 private:
  LayeredReading reading(const SwitchFacts& facts, const Asked& asked) const override;
  Result<Work> revise(const Change& change, const SwitchFacts& facts) const override;
};

// The other ends of hosts' bonds.
class BondProvider final : public SwitchProvider {
 public:
  BondProvider() : SwitchProvider{"bond", Disruption::link} {}
  // By their mark (engine/provider/channel_mark.hpp).
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;

 private:
  LayeredReading reading(const SwitchFacts& facts, const Asked& asked) const override;
  Result<Work> revise(const Change& change, const SwitchFacts& facts) const override;
};

// VLANs that the bridge carries.
class VlanProvider final : public SwitchProvider {
 public:
  VlanProvider() : SwitchProvider{"vlan", Disruption::runtime} {}

 private:
  LayeredReading reading(const SwitchFacts& facts, const Asked& asked) const override;
  Result<Work> revise(const Change& change, const SwitchFacts& facts) const override;
};

// The pair that two switches are.
class MlagProvider final : public SwitchProvider {
 public:
  MlagProvider() : SwitchProvider{"mlag", Disruption::link} {}
  std::vector<Probe> probes() const override;
  Map inventory(const NodeFacts& facts) const override;

 private:
  LayeredReading reading(const SwitchFacts& facts, const Asked& asked) const override;
  Result<Work> revise(const Change& change, const SwitchFacts& facts) const override;
};

// Lossless RoCE of the whole switch, of Cumulus.
class QosProvider final : public SwitchProvider {
 public:
  QosProvider() : SwitchProvider{"qos", Disruption::link} {}
  std::vector<Probe> probes() const override;

  // The mode, where the document does not ask for it: a switch does not say what has set it.
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;

 private:
  LayeredReading reading(const SwitchFacts& facts, const Asked& asked) const override;
  Result<Work> revise(const Change& change, const SwitchFacts& facts) const override;
};

// The subnet manager of NVOS, which most releases have not.
class ManagerProvider final : public SwitchProvider {
 public:
  ManagerProvider() : SwitchProvider{"subnet_manager", Disruption::runtime} {}
  std::vector<Probe> probes() const override;

 private:
  LayeredReading reading(const SwitchFacts& facts, const Asked& asked) const override;
  Result<Work> revise(const Change& change, const SwitchFacts& facts) const override;
};

// What a document could say of a switch that was reached.
SeenNode see_switch(const NodeFacts& facts);

}  // namespace fabric::providers::nvue
