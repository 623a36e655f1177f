// SPDX-License-Identifier: Apache-2.0
// Provider: one kind of resource. Pure: no I/O, no clock, no randomness, no connection; everything
// it wants to know is a probe, everything it wants done is an ActionDraft.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/names.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/neighbour.hpp"
#include "engine/platform/net_device.hpp"
#include "engine/platform/probe.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/observation.hpp"

namespace fabric {

// What the planner knows when it asks for work.
struct WorkContext {
  const NodeFacts& facts;
  const Observation& observation;
  // The plan reboots this node: what a boot activates needs no activation of its own.
  bool reboot_planned = false;
};

class Provider {
 public:
  virtual ~Provider() = default;
  virtual std::string_view kind() const = 0;
  virtual std::vector<Probe> probes() const = 0;

  // Whether it does what Resource::features names (never ""). A plan refuses what it does not, so
  // that a form which a provider has never heard of is not applied in part.
  virtual bool supports(const Resource& /*resource*/, std::string_view /*feature*/) const {
    return false;
  }

  // One observation per wanted resource (all of one node, all of this kind), same order. An
  // attribute that can't be read is an unknown Reading with its reason. A question that the author
  // or operator must decide (two cards match, a foreign stanza configures the port) is a diagnostic
  // at the resource's origin. Never fails, whatever the probes printed.
  virtual std::vector<Observation> observe(
      std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) const = 0;

  // Further facts of the node for a person who knows such systems, whether or not the document asks
  // for them: shown by `discover`, and by nothing else. A part that can't be read is {"unknown":
  // why}.
  virtual Map inventory(const NodeFacts& /*facts*/) const { return {}; }

  // What files of ours on the node still make and `wanted` (all of this node and kind) does not ask
  // for: resources as they were when the files were written, or those of `wanted` with only the
  // attributes that are too many. Values of `desired` are not looked at.
  virtual std::vector<Resource> orphans(
      std::span<const Resource> /*wanted*/, const NodeFacts& /*facts*/) const {
    return {};
  }

  // Port GUIDs ("0x...") of the ports that `resource` is, by "node/adapter/port": what other nodes
  // may have to know of this one. A card has them, and what stands on one of its ports.
  virtual std::map<std::string, std::string, std::less<>> port_guids(
      const Resource& /*resource*/, const NodeFacts& /*facts*/) const {
    return {};
  }

  // The same of other nodes' ports, as files of ours on this one have noted them.
  virtual std::map<std::string, std::string, std::less<>> noted_guids(
      const Resource& /*resource*/, const NodeFacts& /*facts*/) const {
    return {};
  }

  // What the ports of a switch hear, where not its platform's own probes tell but those of this
  // provider; nullopt: it can't tell.
  virtual std::optional<std::vector<Neighbour>> neighbours(const NodeFacts& /*facts*/) const {
    return std::nullopt;
  }

  // The front ports of a switch by the names that a document gives them, as they run. One that the
  // administrator has shut has no carrier to tell of, and is "down" (NetDevice).
  virtual std::vector<NetDevice> front_ports(const NodeFacts& /*facts*/) const { return {}; }

  // The manager that each InfiniBand port of the node takes for the master of its subnet, also
  // where that is none of the document's: the port GUID of the master by RDMA port, "mlx5_0/1". A
  // port without an answer, or with an answer by a manager that is no master, is left out.
  virtual std::map<std::string, Guid> masters_heard(const NodeFacts& /*facts*/) const { return {}; }

  // The version of the vendor's own RDMA drivers (MLNX_OFED, "5.8-1.1.2.1") on the node; "" = it
  // has those of its system, or this provider can't tell.
  virtual std::string vendor_drivers(const NodeFacts& /*facts*/) const { return {}; }

  // What a record of ours on the node says that fabric has set, by attribute of `resource`. Only
  // what every `set` of fabric records: an old record tells nothing.
  virtual std::map<std::string, Value, std::less<>> recorded(
      const Resource& /*resource*/, const NodeFacts& /*facts*/) const {
    return {};
  }

  // What the next boot of the node will change of `resource` beside its attributes, by name: both
  // layers are known and differ.
  virtual std::map<std::string, LayeredReading, std::less<>> waiting(
      const Resource& /*resource*/, const NodeFacts& /*facts*/) const {
    return {};
  }

  // What activating `attribute` interrupts on the node that the facts are of, when its running
  // value must change.
  virtual Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const = 0;

  // REQUIRES: change.kind is not unknown. Fails with ErrorCode::invalid if the change is
  // impossible on this node; the message begins with the resource's address and says why. Never
  // contains the reboot: the planner adds that.
  virtual Result<Work> work(const Change& change, const WorkContext& context) const = 0;

  // The folders that files of its work stand in, as "/etc/sysctl.d/". None = it writes no file.
  virtual std::vector<std::string_view> folders() const { return {}; }
};

}  // namespace fabric
