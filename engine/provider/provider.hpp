// SPDX-License-Identifier: Apache-2.0
// Provider: one kind of resource on one platform, as a row of functions. They are pure: no I/O, no
// clock, no randomness, no connection; everything that a kind wants to know is a probe, everything
// that it wants done is an ActionDraft.
#pragma once

#include <functional>
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

// The planner's knowledge when it asks for work.
struct WorkContext {
  const NodeFacts& facts;
  const Observation& observation;
  // The plan reboots this node: what a boot activates needs no activation of its own.
  bool reboot_planned = false;
};

// The disruption of activating any attribute.
inline auto always(Disruption disruption) {
  return [disruption](const NodeFacts&, const Resource&, std::string_view) {
    return disruption;
  };
}

struct Provider {
  std::string_view kind;  // outlives it
  std::function<std::vector<Probe>()> probes;

  // Whether it does what Resource::features names (never ""). A plan refuses what it does not, so
  // that a form which a provider has never heard of is not applied in part.
  std::function<bool(const Resource&, std::string_view feature)> supports = [](const Resource&,
                                                                               std::string_view) {
    return false;
  };

  // One observation per wanted resource (all of one node, all of this kind), same order. An
  // attribute that can't be read is an unknown Reading with its reason. A question that the author
  // or operator must decide (two cards match, a foreign stanza configures the port) is a diagnostic
  // at the resource's origin. Never fails, whatever the probes printed.
  std::function<std::vector<Observation>(
      std::span<const Resource> wanted, const NodeFacts&, Diagnostics&)>
      observe;

  // Further facts of the node for a person who knows such systems, whether or not the document asks
  // for them: shown by `discover`, and by nothing else. A part that can't be read is {"unknown":
  // why}.
  std::function<Map(const NodeFacts&)> inventory = [](const NodeFacts&) {
    return Map{};
  };

  // What files of ours on the node still make and `wanted` (all of this node and kind) does not ask
  // for: resources as they were when the files were written, or those of `wanted` with only the
  // attributes that are too many. Values of `desired` are not looked at.
  std::function<std::vector<Resource>(std::span<const Resource> wanted, const NodeFacts&)> orphans =
      [](std::span<const Resource>, const NodeFacts&) {
        return std::vector<Resource>{};
      };

  // How the resources of this kind, of all nodes and with the orphans among them, depend on each
  // other beyond what the document says: which of them goes last, what one takes over from another.
  // Null: in no way. Changes `after` and `binding` alone.
  std::function<void(std::vector<Resource>& resources)> relate{};

  // Port GUIDs ("0x...") of the ports that the resource is, by "node/adapter/port": what other
  // nodes may have to know of this one. A card has them, and what stands on one of its ports.
  using PortGuids = std::map<std::string, std::string, std::less<>>;
  std::function<PortGuids(const Resource&, const NodeFacts&)> port_guids = [](const Resource&,
                                                                              const NodeFacts&) {
    return PortGuids{};
  };
  // The same of other nodes' ports, as files of ours on this one have noted them.
  std::function<PortGuids(const Resource&, const NodeFacts&)> noted_guids = port_guids;

  // What the ports of a switch hear, where not its platform's own probes tell but those of this
  // provider; nullopt: it can't tell.
  std::function<std::optional<std::vector<Neighbour>>(const NodeFacts&)> neighbours =
      [](const NodeFacts&) {
        return std::nullopt;
      };

  // The front ports of a switch by the names that a document gives them, as they run. One that the
  // administrator has shut has no carrier to tell of, and is "down" (NetDevice).
  std::function<std::vector<NetDevice>(const NodeFacts&)> front_ports = [](const NodeFacts&) {
    return std::vector<NetDevice>{};
  };

  // The manager that each InfiniBand port of the node takes for the master of its subnet, also
  // where that is none of the document's: the port GUID of the master by RDMA port, "mlx5_0/1". A
  // port without an answer, or with an answer by a manager that is no master, is left out.
  std::function<std::map<std::string, Guid>(const NodeFacts&)> masters_heard =
      [](const NodeFacts&) {
        return std::map<std::string, Guid>{};
      };

  // The version of the vendor's own RDMA drivers (MLNX_OFED, "5.8-1.1.2.1") on the node; "" = it
  // has those of its system, or this provider can't tell.
  std::function<std::string(const NodeFacts&)> vendor_drivers = [](const NodeFacts&) {
    return std::string{};
  };

  // What a record of ours on the node says that fabric has set, by attribute of the resource. Only
  // what every `set` of fabric records: an old record tells nothing.
  using Recorded = std::map<std::string, Value, std::less<>>;
  std::function<Recorded(const Resource&, const NodeFacts&)> recorded = [](const Resource&,
                                                                           const NodeFacts&) {
    return Recorded{};
  };

  // What the next boot of the node will change of the resource beside its attributes, by name: both
  // layers are known and differ.
  using Waiting = std::map<std::string, LayeredReading, std::less<>>;
  std::function<Waiting(const Resource&, const NodeFacts&)> waiting = [](const Resource&,
                                                                         const NodeFacts&) {
    return Waiting{};
  };

  // What activating `attribute` interrupts on the node that the facts are of, when its running
  // value must change.
  std::function<Disruption(const NodeFacts&, const Resource&, std::string_view attribute)>
      disruption;

  // REQUIRES: change.kind is not unknown. Fails with ErrorCode::invalid if the change is
  // impossible on this node; the message begins with the resource's address and says why. Never
  // contains the reboot: the planner adds that.
  std::function<Result<Work>(const Change&, const WorkContext&)> work;

  // The folders that files of its work stand in, as "/etc/sysctl.d/". None = it writes no file.
  std::vector<std::string_view> folders{};
};

}  // namespace fabric
