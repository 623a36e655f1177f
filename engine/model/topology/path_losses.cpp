// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/path_losses.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace fabric::reach {

std::vector<AddressPair> address_pairs(const Fabric& fabric) {
  std::vector<AddressPair> pairs;
  std::vector<const Port*> ports;
  for (const Host& host : fabric.hosts) {
    for (const Port& port : host.ports) {
      // Before its first apply no port of a network has one.
      if (!port.addresses.empty()) ports.push_back(&port);
    }
  }
  std::ranges::sort(
      ports, [](const Port* one, const Port* other) { return one->name < other->name; });
  for (auto one = ports.begin(); one != ports.end(); ++one) {
    for (auto other = std::next(one); other != ports.end(); ++other) {
      if ((*one)->name.node == (*other)->name.node) continue;
      for (const Address& a : (*one)->addresses) {
        for (const Address& b : (*other)->addresses) {
          if (a.subnet == b.subnet)
            pairs.push_back({(*one)->name, (*other)->name, a.address, b.address});
        }
      }
    }
  }
  return pairs;
}

std::size_t address_pair_count(const Fabric& fabric) {
  std::map<Subnet, std::map<NodeName, std::size_t>> addresses;
  for (const Host& host : fabric.hosts) {
    for (const Port& port : host.ports) {
      for (const Address& address : port.addresses)
        ++addresses[address.subnet][port.name.node];
    }
  }
  std::size_t pairs = 0;
  for (const auto& [subnet, of_hosts] : addresses) {
    std::size_t before = 0;
    for (const auto& [node, count] : of_hosts) {
      pairs += before * count;
      before += count;
    }
  }
  return pairs;
}

std::vector<AddressPair> working_pairs(const Fabric& fabric, const Away& away) {
  std::vector<AddressPair> pairs = address_pairs(fabric);
  if (pairs.empty()) return pairs;
  const Reachability reachability{fabric, away};
  std::erase_if(pairs, [&](const AddressPair& pair) {
    return reachability.between(pair).state != State::kept;
  });
  return pairs;
}

Losses losses_of(const Fabric& fabric, const std::vector<AddressPair>& working, const Away& after) {
  const Reachability reachability{fabric, after};
  Losses losses;
  std::map<std::pair<NodeName, NodeName>, std::size_t> left;
  for (const AddressPair& pair : working) {
    if (after.nodes.contains(pair.a.node) || after.nodes.contains(pair.b.node)) continue;
    std::size_t& of_hosts = left[{pair.a.node, pair.b.node}];
    ++losses.worked;
    const Verdict verdict = reachability.between(pair);
    if (verdict.state != State::lost) {
      ++of_hosts;
      losses.unknown += verdict.state == State::unknown ? 1U : 0U;
      if (verdict.state == State::kept) losses.left.push_back(pair);
      continue;
    }
    if (losses.lost++ == 0)
      losses.example = fmt::format("{} and {}: {}", pair.a.str(), pair.b.str(), why(verdict));
  }
  losses.host_pairs = left.size();
  for (const auto& [hosts, count] : left) {
    if (count == 0) losses.apart.push_back(hosts);
  }
  return losses;
}

Losses losses_without(
    const NetworkNow& now, const std::set<NodeName>& nodes, const std::set<PortRef>& dark) {
  Away after = now.away;
  after.nodes.insert(nodes.begin(), nodes.end());
  after.dark.insert(dark.begin(), dark.end());
  return losses_of(now.fabric, working_pairs(now.fabric, now.away), after);
}

std::string why(const Verdict& verdict) {
  const std::string at = verdict.at ? verdict.at->str() : "a port on its way";
  const std::string node = verdict.at ? verdict.at->node.str() : "the host";
  const std::string what = fmt::format(
      "the {} leaves by {}",
      verdict.answer ? "answer" : "request",
      verdict.by ? verdict.by->str() : "no port");
  switch (verdict.cause) {
    case Cause::none:
      return {};
    case Cause::no_route:
      return fmt::format("no route of {} is alive", node);
    case Cause::no_carrier:
      return fmt::format("{}, which has no carrier", what);
    case Cause::node_away:
      return fmt::format("{} and ends before {}, which is down", what, node);
    case Cause::no_link:
      return fmt::format("{} and ends at {}, which has no link", what, at);
    case Cause::not_chained:
      return fmt::format("{} and ends at {}, whose card does not pass it on", what, at);
    case Cause::no_answer:
      return fmt::format("{}, and no host answers its ARP request", what);
    case Cause::filtered:
      return fmt::format("{} and is dropped at {} by rp_filter", what, at);
    case Cause::elsewhere:
      return fmt::format("{} and comes back by {}", what, at);
  }
  return {};
}

}  // namespace fabric::reach
