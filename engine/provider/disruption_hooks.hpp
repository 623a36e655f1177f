// SPDX-License-Identifier: Apache-2.0
// The commands around the disruption of a node: one before it and one after it, on the machine that
// fabric runs on. Between them a record on the node says that it is drained, so that a killed run
// leaves no drained node without a record.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/provider/change.hpp"

namespace fabric {

inline constexpr std::string_view kDrained = "drained";  // the attribute of kind "drain"
// Beside it, on a platform with a maintenance mode: whether the node is in it.
inline constexpr std::string_view kInMaintenance = "in_maintenance";
// And a list of the virtual machines there that hold a virtual function of a card: nothing can move
// them, so the node waits until a person shuts them down.
inline constexpr std::string_view kHeldMachines = "held_machines";

// How a node keeps that it is drained: in a file of ours, or, on a platform with a maintenance
// mode, by commands of its own.
struct DrainRecord {
  std::string file;          // "" = by the commands
  remote::Argv note, leave;  // leave: out of the maintenance mode if note says that we entered it
};

// In the folder of our own records on a node (HostPlatform::state_folder()).
std::string drained_record(std::string_view state_folder);

// `command` with the node's name as its last argument, which is $1 of a shell text.
remote::Argv given(remote::Argv command, const NodeName& node);

// Whether the document has a command for it, before or after.
bool has_hooks(const Resource& drain);

// REQUIRES: `drain` is a resource of kind "drain" (model/resource_keys.hpp). `interrupts`: of a
// switch, the hosts behind it, which its commands find in FABRIC_INTERRUPTS. Nullopt where nothing
// is to be done before: there is no command for it, none after it that would have to be owed, and
// no maintenance mode that would have to be left.
std::optional<ActionDraft> before_disruption(
    const Resource& drain, const DrainRecord& record, const std::set<NodeName>& interrupts = {});
// Nullopt without a command and a maintenance mode.
std::optional<ActionDraft> after_disruption(
    const Resource& drain, const DrainRecord& record, const std::set<NodeName>& interrupts = {});
// Enters it, after what is run before the disruption, which may have made room for it.
ActionDraft enter_maintenance(const Resource& drain, remote::Argv enter);
// How long each of these may take; nullopt where the document does not say.
std::optional<Duration> drain_timeout(const Resource& drain);

}  // namespace fabric
