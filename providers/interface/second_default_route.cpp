#include "providers/interface/second_default_route.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "providers/interface/find_link.hpp"
#include "providers/interface/link_config.hpp"
#include "providers/interface/running_state.hpp"

namespace fabric::providers {

void report_second_default_routes(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const std::vector<DefaultRoute> routes = default_routes(facts);
  if (routes.empty()) return;
  const std::vector<Card> cards = inventory_of(facts);
  const RunningLinks running{facts};
  std::set<std::string> own;
  for (const Resource& resource : wanted)
    own.insert(find_link(resource, cards, running).device);
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
                  "{}: the default route over {} is by {}; {} {} would have another, over {}",
                  facts.node.str(),
                  other->gateway,
                  other->device,
                  resource.address.kind,
                  resource.address.name,
                  to_text(gateway->second.value)))
          .with_help("name the networks that are reached over it: `routes` in place of `gateway`");
    }
  }
}

}  // namespace fabric::providers
