// What is done around the disruption of a node: a command before it and one after it, on the
// machine that fabric runs on. Between them a file of ours on the node says that it is drained, so
// that a run that is killed meanwhile leaves no node drained that nobody knows of.
#pragma once

#include <optional>

#include "engine/provider/change.hpp"

namespace fabric {

inline constexpr std::string_view kDrained = "drained";  // the attribute of kind "drain"
inline constexpr const char* kDrainedRecord = "/var/lib/fabric/drained";

// `command` with the node's name as its last argument, which is $1 of a shell text.
remote::Argv given(remote::Argv command, const NodeName& node);

// REQUIRES: `drain` is a resource of kind "drain" (model/resource_keys.hpp). Nullopt where nothing
// is to be done before: there is no command for it, and none after it that would have to be owed.
std::optional<ActionDraft> before_disruption(const Resource& drain);
// Nullopt without a command.
std::optional<ActionDraft> after_disruption(const Resource& drain);

}  // namespace fabric
