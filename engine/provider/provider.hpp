// SPDX-License-Identifier: Apache-2.0
// Provider: one kind of resource on one platform, as a row of functions. They are pure: no I/O, no
// clock, no randomness, no connection; all questions of a kind are probes, all its work is an
// ActionDraft.
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
#include "engine/platform/host_network.hpp"
#include "engine/platform/neighbour.hpp"
#include "engine/platform/probe.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/observation.hpp"

namespace fabric {

// The planner's knowledge when it asks for work.
struct WorkContext {
  const NodeFacts& facts;
  const Observation& observation;
  // The plan reboots this node: a value that a boot activates needs no activation of its own.
  bool reboot_planned = false;
};

// The disruption of activating any attribute.
inline auto always(Disruption disruption) {
  return [disruption](const NodeFacts&, const Resource&, std::string_view) {
    return disruption;
  };
}

// One observation per wanted resource, same order; `fill` adds the attributes of one.
template <typename Fill>
std::vector<Observation> observe_each(std::span<const Resource> wanted, const Fill& fill) {
  std::vector<Observation> observations;
  for (const Resource& resource : wanted)
    fill(resource, observations.emplace_back(Observation{resource.address, {}}));
  return observations;
}

struct Provider {
  std::string_view kind;  // must outlive the provider
  std::function<std::vector<Probe>()> probes;

  // True if it supports this name of Resource::features (never ""). A plan refuses what it does
  // not, so that a form that a provider does not know is not applied in part.
  std::function<bool(const Resource&, std::string_view feature)> supports = [](const Resource&,
                                                                               std::string_view) {
    return false;
  };

  // One observation per wanted resource (all of one node, all of this kind), same order. An
  // attribute that can't be read is an unknown Reading with its reason. A choice that the author or
  // operator must make (two cards match, a foreign stanza configures the port) is a diagnostic at
  // the resource's origin. Never fails, whatever the probes printed.
  std::function<std::vector<Observation>(
      std::span<const Resource> wanted, const NodeFacts&, Diagnostics&)>
      observe;

  // More facts of the node for an expert, whether or not the document asks for them: shown by
  // `discover`, and by nothing else. A part that can't be read is {"unknown": why}.
  std::function<Map(const NodeFacts&)> inventory = [](const NodeFacts&) {
    return Map{};
  };

  // The resources that files of fabric on the node still make and that `wanted` (all of this node
  // and kind) does not ask for: as they were when the files were written, or those of `wanted` with
  // only the surplus attributes. Values of `desired` do not matter.
  std::function<std::vector<Resource>(std::span<const Resource> wanted, const NodeFacts&)> orphans =
      [](std::span<const Resource>, const NodeFacts&) {
        return std::vector<Resource>{};
      };

  // Adds dependencies between the resources of this kind, of all nodes and with the orphans, beyond
  // those of the document: which of them goes last, what one takes over from another. Null: none.
  // Changes only `after` and `binding`.
  std::function<void(std::vector<Resource>& resources)> relate{};

  // Port GUIDs ("0x...") of the resource's own ports, by "node/adapter/port": other nodes may need
  // them. Cards have them, and resources at one of their ports.
  using PortGuids = std::map<std::string, std::string, std::less<>>;
  std::function<PortGuids(const Resource&, const NodeFacts&)> port_guids = [](const Resource&,
                                                                              const NodeFacts&) {
    return PortGuids{};
  };
  // Port GUIDs of other nodes' ports, from fabric's files on this node.
  std::function<PortGuids(const Resource&, const NodeFacts&)> noted_guids = port_guids;

  // The neighbours of a switch's ports, if the probes of this provider show them and not those of
  // its platform; nullopt if they don't.
  std::function<std::optional<std::vector<Neighbour>>(const NodeFacts&)> neighbours =
      [](const NodeFacts&) {
        return std::nullopt;
      };

  // The front ports of a switch by the document's names, as they run. A port that is set down has
  // no carrier, and is "down" (NetDevice).
  std::function<std::vector<NetDevice>(const NodeFacts&)> front_ports = [](const NodeFacts&) {
    return std::vector<NetDevice>{};
  };

  // The manager that each InfiniBand port of the node takes for the master of its subnet, also one
  // outside of the document: the port GUID of the master by RDMA port, "mlx5_0/1". A port without
  // an answer, or with an answer by a manager that is no master, is left out.
  std::function<std::map<std::string, Guid>(const NodeFacts&)> masters_heard =
      [](const NodeFacts&) {
        return std::map<std::string, Guid>{};
      };

  // The version of the vendor's own RDMA drivers (MLNX_OFED, "5.8-1.1.2.1") on the node; "" = it
  // has those of its system, or this provider can't tell.
  std::function<std::string(const NodeFacts&)> vendor_drivers = [](const NodeFacts&) {
    return std::string{};
  };

  // The values that fabric has set by its record on the node, by attribute of the resource. Only
  // values that every `set` of fabric records: an old record has none.
  using Recorded = std::map<std::string, Value, std::less<>>;
  std::function<Recorded(const Resource&, const NodeFacts&)> recorded = [](const Resource&,
                                                                           const NodeFacts&) {
    return Recorded{};
  };

  // The values besides the attributes that the next boot of the node will change, by name: both
  // layers are known and differ.
  using Waiting = std::map<std::string, LayeredReading, std::less<>>;
  std::function<Waiting(const Resource&, const NodeFacts&)> waiting = [](const Resource&,
                                                                         const NodeFacts&) {
    return Waiting{};
  };

  // The disruption by activating `attribute` on the node of these facts, when its running value
  // must change.
  std::function<Disruption(const NodeFacts&, const Resource&, std::string_view attribute)>
      disruption;

  // The work of a change. REQUIRES: change.kind is not unknown. Fails with ErrorCode::invalid if
  // the change is impossible on this node; the message begins with the resource's address and says
  // why. It never contains the reboot: the planner adds that.
  std::function<Result<Work>(const Change&, const WorkContext&)> work;

  // The folders of the files that its work writes, as "/etc/sysctl.d/". Empty = it writes no file.
  std::vector<std::string_view> folders{};
};

}  // namespace fabric
