// The files of one OpenSM on its node: options, partitions, GUID lists, the unit that runs it and
// the rule that starts it when the port's management device appears.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/model/names.hpp"
#include "engine/model/resource.hpp"

namespace fabric::providers {

// Attributes of a subnet_manager that this provider gives a meaning.
inline constexpr std::string_view kManages = "manages";
inline constexpr std::string_view kPartitions = "partitions";

struct ManagerPaths {
  std::string options, partitions, roots, io;
  std::string unit, rule;
  // As the process was started with them: the unit copies both before each start, for no query
  // shows what OpenSM has loaded (E-opensm-loaded).
  std::string running_folder;
  std::string unit_name;  // "fabric-opensm-ib.cx5.1.service"

  std::string running(const std::string& path) const;
};
ManagerPaths manager_paths(const ResourceAddress& address);

// Keeps the distribution's own service from starting a second OpenSM on the same port: Debian's
// starts one on every port there is as soon as the package is installed (PORTS=ALL).
inline constexpr std::string_view kServiceGuard =
    "/etc/systemd/system/opensm.service.d/fabric.conf";
std::string service_guard_text();

// All that the resource asks for, by path; attributes that are no longer wanted (null) are left
// out. `guid` is of the manager's own port. Fails with ErrorCode::invalid, beginning with the
// address, if the GUID of a member or switch is not known.
Result<std::map<std::string, std::string>> manager_files(const Resource& resource, Guid guid);

}  // namespace fabric::providers
