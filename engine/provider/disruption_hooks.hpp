// SPDX-License-Identifier: Apache-2.0
// The commands around the disruption of a node: one before it and one after it, on the machine that
// fabric runs on. Between them a record on the node says that it is drained, so that a killed run
// leaves no drained node without a record.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/platform/host_parts.hpp"
#include "engine/provider/change.hpp"

namespace fabric {

inline constexpr std::string_view kDrained = "drained";  // the attribute of kind "drain"
// Another attribute on a platform with a maintenance mode: whether the node is in it.
inline constexpr std::string_view kInMaintenance = "in_maintenance";
// The list of virtual machines with a virtual function of a card: they can't be moved, so the node
// waits until a person shuts them down.
inline constexpr std::string_view kHeldMachines = "held_machines";

// The record that a node is drained: a file of fabric, or, on a platform with a maintenance mode,
// commands of its own.
struct DrainRecord {
  std::string file;          // "" = by commands
  remote::Argv note, leave;  // `leave` ends only a mode that a run entered
};

// The path of the record below a node's HostPlatform::state_folder().
std::string drained_record(std::string_view state_folder);

// `command` with the node's name as its last argument, which is $1 of a shell text.
remote::Argv given(remote::Argv command, const NodeName& node);

// True if the document has a command for it, before or after.
bool has_hooks(const Resource& drain);

// REQUIRES: `drain` is a resource of kind "drain" (model/resource_keys.hpp). `interrupts`: for a
// switch, the hosts behind it, which its commands find in FABRIC_INTERRUPTS. Nullopt if there is
// nothing to do before: no command, none after it that must be recorded, and no maintenance mode to
// leave.
std::optional<ActionDraft> before_disruption(
    const Resource& drain, const DrainRecord& record, const std::set<NodeName>& interrupts = {});
// Nullopt without a command and a maintenance mode.
std::optional<ActionDraft> after_disruption(
    const Resource& drain, const DrainRecord& record, const std::set<NodeName>& interrupts = {});
// Enters the maintenance mode, after the first hook, which may have made room for it.
ActionDraft enter_maintenance(const Resource& drain, remote::Argv enter);
// The time that each of these may take; nullopt if the document has none.
std::optional<Duration> drain_timeout(const Resource& drain);

// The work of a drain that the run itself entered: it leaves the maintenance mode.
Work leave_maintenance(const Change& change, const platform::MaintenanceMode& mode);

}  // namespace fabric
