// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/missing_ports.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/model/platform.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/diagnose.hpp"

namespace fabric {

void report_missing_ports(
    Platform platform,
    std::span<const Resource* const> wanted,
    std::span<const NetDevice> there,
    Diagnostics& diagnostics) {
  if (there.empty()) return;
  std::set<std::string> known;
  std::vector<std::string> names;
  // Cumulus Linux calls port 7 swp7.
  const auto called = [&](const std::string& port) {
    const bool is_number = parse_integer(port).has_value();
    return std::string{is_number ? traits(platform).port_prefix : ""} + port;
  };
  for (const NetDevice& each : there)
    if (known.insert(each.name).second) names.push_back(called(each.name));
  const auto judge = [&](const Resource& resource, const Value& written) {
    const std::string port = to_text(written);
    if (!known.insert(port).second) return;
    report_finding(
        diagnostics,
        resource,
        "switch-port-missing",
        fmt::format("{} has no port {}", resource.address.node.str(), called(port)))
        .with_help(fmt::format(
            "write a port that it has: {}; a port is split at the switch, before the document "
            "names its parts",
            fold(names)));
  };
  // A port of its own stands at its cable, a port of a bond at the network.
  for (const Resource* resource : wanted)
    if (const Value* port = resource->bound(keys::kSwitchPort)) judge(*resource, *port);
  for (const Resource* resource : wanted)
    for (const Value& port : resource->bound_list(keys::kSwitchPorts))
      judge(*resource, port);
}

}  // namespace fabric
