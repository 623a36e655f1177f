// SPDX-License-Identifier: Apache-2.0
// The files of one OpenSM on its node: options, partitions, GUID lists, the unit that runs it and
// the rule that starts it when the port's management device appears.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/model/names.hpp"
#include "engine/model/resource.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// Attributes of a subnet_manager that this provider gives a meaning.
inline constexpr std::string_view kManages = "manages";
inline constexpr std::string_view kPartitions = "partitions";
inline constexpr std::string_view kVirtualization = "virtualization";

struct ManagerPaths {
  std::string options, partitions, roots, io;
  std::string unit, rule;
  // The files that the process has read: the unit copies both before each start, and the partitions
  // after each reload, because no query shows what OpenSM has loaded (E-opensm-loaded).
  std::string running_folder;
  std::string unit_name;  // "fabric-opensm-ib.cx5.1.service"

  std::string running(const std::string& path) const;
};
ManagerPaths manager_paths(const ResourceAddress& address);

// Files that keep the service of a distribution (opensm), or of MLNX_OFED and DOCA (opensmd), from
// starting a second OpenSM on the same port, now or at a later boot: Debian's starts one on every
// port as soon as the package is installed (PORTS=ALL). MLNX_OFED's is an init script or a unit
// (E-opensm-ofed).
inline constexpr std::array<std::string_view, 2> kServiceGuards{
    "/etc/systemd/system/opensm.service.d/fabric.conf",
    "/etc/systemd/system/opensmd.service.d/fabric.conf"};
bool is_service_guard(std::string_view path);
std::string service_guard_text(std::string_view path);

// The files of the resource by path; attributes that are no longer wanted (null) are left out.
// `guid`: of the manager's own port. `knows_virtualization`: this OpenSM has that option, which is
// left out otherwise. Fails with ErrorCode::invalid, beginning with the address, if the GUID of a
// member or switch is not known.
Result<std::map<std::string, std::string>> manager_files(
    const Resource& resource, Guid guid, bool knows_virtualization);

// `partitions`: a list of {name, pkey, ipoib, mtu (bytes, may be missing), members: [{who, full}]}
// as expansion makes it; `who` is ALL, SELF or a port, whose GUID is in `port_guids`. Fails with
// ErrorCode::invalid, naming the port, if its GUID is missing; and if the text would not read back
// as the same partitions, which no name of a valid document can cause.
Result<std::string> partitions_text(const Value& partitions, const Map& port_guids);

}  // namespace fabric::providers
