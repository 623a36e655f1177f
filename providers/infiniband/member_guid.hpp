// SPDX-License-Identifier: Apache-2.0
// The GUID by which OpenSM's files name a port of the document.
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

// "0x0002c903000e0b73" of "n1/cx5/1", or of "leaf1" for the port 0 of a switch. `port_guids`: as
// Resource::binding has them (keys::kPortGuids). Fails with ErrorCode::invalid, naming the port, if
// it is not known.
Result<std::string> member_guid(const Map& port_guids, const std::string& port);

// Partitions, as Resource::desired has them, with the known members; and the unknown ports, sorted.
// A node that is off loses its own membership, and no other node does.
struct KnownMembers {
  Value partitions;
  std::vector<std::string> unknown;
};
KnownMembers known_members(const Value& partitions, const Map& port_guids);

// By GUID, the ports that are known now or were noted in `text`.
std::map<std::string, std::string, std::less<>> names_by_guid(
    const Map& port_guids, std::string_view text);

// A warning that names the ports that the manager of `resource` hands out no partition to; none in
// a plan that is limited to some nodes (keys::kPartlyRead), whose partitions wait.
void report_unknown_members(const Resource& resource, Diagnostics& diagnostics);

// "# n1/cx5/1 0x0002c903000e0b73", a line each: a manager's record of the ports that `partitions`
// names, so that it knows them while their nodes can't be read.
std::string notes_of_members(const Value& partitions, const Map& port_guids);
std::map<std::string, std::string, std::less<>> noted_members(std::string_view text);

}  // namespace fabric::providers
