// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/vlans_apart.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/diagnose.hpp"

namespace fabric {

void report_vlans_apart(Diagnostics& diagnostics, const std::vector<UntaggedPort>& ports) {
  using ByVlan = std::map<std::string, std::vector<const UntaggedPort*>>;
  std::map<std::string, ByVlan> networks;
  for (const UntaggedPort& port : ports) {
    const auto network = port.resource->binding.find(keys::kNetwork);
    if (port.vlan.empty() || network == port.resource->binding.end() ||
        port.resource->desired.contains("access_vlan"))
      continue;
    networks[to_text(network->second)][port.vlan].push_back(&port);
  }
  for (const auto& [network, vlans] : networks) {
    if (vlans.size() < 2) continue;
    const auto most = std::ranges::max_element(
        vlans, [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    std::vector<std::string> texts;
    const UntaggedPort* first = nullptr;
    for (const auto& each : vlans) {
      std::vector<std::string> names;
      for (const UntaggedPort* port : each.second)
        names.push_back(port->name);
      texts.push_back(fmt::format("VLAN {} at {}", each.first, join(names, ", ")));
      if (first == nullptr && each.first != most->first) first = each.second.front();
    }
    report_finding(
        diagnostics,
        *first->resource,
        "untagged-vlans-differ",
        fmt::format(
            "{}: frames of network {} without a tag go into {}",
            first->resource->address.node.str(),
            network,
            join(texts, " and into ")))
        .with_help(
            "hosts in different VLANs do not reach each other: put these ports into one VLAN at "
            "the "
            "switch, or make two networks of them");
  }
}

}  // namespace fabric
