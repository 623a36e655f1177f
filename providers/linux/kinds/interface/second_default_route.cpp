// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/second_default_route.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/backends/backend_signs.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"
#include "providers/linux/kinds/interface/link/link_config.hpp"
#include "providers/linux/kinds/interface/link/running_state.hpp"

namespace fabric::providers {

namespace {

// Interfaces of `wanted`, and those with files of fabric: the document decides about their routes,
// and may want the route over a bond now.
std::set<std::string> own_devices(std::span<const Resource> wanted, const NodeFacts& facts) {
  const std::vector<Card>& cards = inventory_of(facts);
  const RunningLinks& running = running_links(facts);
  std::set<std::string> devices;
  for (const Resource& resource : wanted)
    devices.insert(find_link(resource, cards, running).device);
  const FileTexts& files = network_files(facts);
  for (const std::string_view kind :
       {kinds::kInterface, kinds::kBond, kinds::kVlan, kinds::kIpoib}) {
    for (const Resource& resource : left_in_files(files, facts.node, kind, {}))
      devices.insert(find_link(resource, cards, running).device);
  }
  return devices;
}

}  // namespace

void report_second_default_routes(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const std::vector<DefaultRoute> routes = default_routes(facts);
  if (routes.empty()) return;
  const std::set<std::string> own = own_devices(wanted, facts);
  for (const Resource& resource : wanted) {
    for (const char* attribute : {"gateway", "gateway6"}) {
      const auto gateway = resource.desired.find(attribute);
      if (gateway == resource.desired.end()) continue;
      const bool ipv6 = attribute == std::string_view{"gateway6"};
      const auto other = std::find_if(routes.begin(), routes.end(), [&](const DefaultRoute& each) {
        return is_ipv6(each.gateway) == ipv6 && !own.contains(each.device);
      });
      if (other == routes.end()) continue;
      diagnostics
          .warning(
              "second-default-route",
              gateway->second.source,
              fmt::format(
                  "{}: the default route over {} is on {}, and {} {} would get another one, over "
                  "{}",
                  facts.node.str(),
                  other->gateway,
                  other->device,
                  resource.address.kind,
                  resource.address.name,
                  to_text(gateway->second.value)))
          .with_help(
              "write `routes` instead of `gateway`, with the networks that are reached over it");
    }
  }
}

}  // namespace fabric::providers
