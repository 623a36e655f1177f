// SPDX-License-Identifier: Apache-2.0
// The GUID by which the files of OpenSM name a port of the document.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/result.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// "0x0002c903000e0b73" for the port "n1/cx5/1", or for "leaf1", the port 0 of a switch.
// `port_guids`: see Resource::binding (keys::kPortGuids). Fails with ErrorCode::invalid, naming the
// port, if its GUID is not known.
Result<std::string> member_guid(const Map& port_guids, const std::string& port);

// Partitions in the form of Resource::desired, with the members of known GUID; and the unknown
// ports, sorted. A node that is off loses only its own membership.
struct KnownMembers {
  Value partitions;
  std::vector<std::string> unknown;
};
KnownMembers known_members(const Value& partitions, const Map& port_guids);

// For each GUID: the port that is known now or was noted in `text`.
std::map<std::string, std::string, std::less<>> names_by_guid(
    const Map& port_guids, std::string_view text);

// Reports a warning that names the ports that get no partition from the manager of `resource`; none
// in a plan that is limited to some nodes (keys::kPartlyRead), whose partitions wait.
void report_unknown_members(const Resource& resource, Diagnostics& diagnostics);

// "# n1/cx5/1 0x0002c903000e0b73", a line each: a manager's record of the ports that `partitions`
// names, so that it knows them while their nodes can't be read.
std::string notes_of_members(const Value& partitions, const Map& port_guids);
std::map<std::string, std::string, std::less<>> noted_members(std::string_view text);

}  // namespace fabric::providers
