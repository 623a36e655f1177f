// SPDX-License-Identifier: Apache-2.0
// The kinds of resource of switches with MLNX-OS and Onyx.
#pragma once

#include "engine/model/switch_configuration.hpp"
#include "engine/provider/provider.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers::onyx {

// Release of the system; only checked.
class OsProvider final : public Provider {
 public:
  std::string_view kind() const override { return "os"; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::none;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// Ports that are in no bond: Ethernet or InfiniBand.
class PortProvider final : public Provider {
 public:
  std::string_view kind() const override { return "interface"; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
  std::optional<std::vector<Neighbour>> neighbours(const NodeFacts& facts) const override;
  std::vector<NetDevice> front_ports(const NodeFacts& facts) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::link;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// The configuration of the whole switch, as far as another login has typed it and not saved it.
class ConfigurationProvider final : public Provider {
 public:
  std::string_view kind() const override { return switch_configuration::kKind; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::none;
  }
  Result<Work> work(const Change&, const WorkContext&) const override { return Work{}; }
};

// The other ends of hosts' bonds. Observes, beside the desired attributes, `balance` as a running
// value: the fields by which the switch spreads frames, where that is configured.
class BondProvider final : public Provider {
 public:
  std::string_view kind() const override { return "bond"; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  // By their mark (engine/provider/channel_mark.hpp).
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::link;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// VLANs at the ports and channels of their network.
class VlanProvider final : public Provider {
 public:
  std::string_view kind() const override { return "vlan"; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::link;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// The pair that the switch is in: its half of it.
class MlagProvider final : public Provider {
 public:
  std::string_view kind() const override { return "mlag"; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
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

// Lossless RoCE of the whole switch.
class QosProvider final : public Provider {
 public:
  std::string_view kind() const override { return "qos"; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  // Its ports may go down and up. The mode, where the document does not ask for it: a switch does
  // not say what has set it.
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::link;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// The subnet manager of the switch.
class ManagerProvider final : public Provider {
 public:
  std::string_view kind() const override { return "subnet_manager"; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Map inventory(const NodeFacts& facts) const override;
  // A manager that runs is restarted for its virtual functions; hosts may lose multicast and IPoIB
  // meanwhile (E-onyx-sm).
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// What a document could say of a switch that was reached.
SeenNode see_switch(const NodeFacts& facts);

}  // namespace fabric::providers::onyx
