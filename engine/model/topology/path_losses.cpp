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
    for (const Port& port : host.ports)
      ports.push_back(&port);
  }
  std::sort(ports.begin(), ports.end(), [](const Port* one, const Port* other) {
    return one->name < other->name;
  });
  for (auto one = ports.begin(); one != ports.end(); ++one) {
    for (auto other = std::next(one); other != ports.end(); ++other) {
      const bool is_pair =
          (*one)->name.node != (*other)->name.node && (*one)->network == (*other)->network;
      if (!is_pair) continue;
      for (const Address& a : (*one)->addresses) {
        for (const Address& b : (*other)->addresses) {
          if (a.subnet == b.subnet)
            pairs.push_back({(*one)->network, (*one)->name, (*other)->name, a.address, b.address});
        }
      }
    }
  }
  return pairs;
}

std::vector<NetworkLosses> losses_between(
    const Fabric& fabric, const Away& before, const Away& after) {
  const Reachability was{fabric, before};
  const Reachability is{fabric, after};
  std::map<std::string, NetworkLosses> by_network;
  struct Left {
    std::size_t worked = 0, left = 0;
  };
  std::map<std::string, std::map<std::pair<NodeName, NodeName>, Left>> hosts;
  for (const AddressPair& pair : address_pairs(fabric)) {
    if (after.nodes.contains(pair.a.node) || after.nodes.contains(pair.b.node)) continue;
    if (was.between(pair).state != State::kept) continue;
    NetworkLosses& losses = by_network[pair.network];
    losses.network = pair.network;
    ++losses.worked;
    Left& left = hosts[pair.network][{pair.a.node, pair.b.node}];
    ++left.worked;
    Verdict verdict = is.between(pair);
    if (verdict.state == State::lost) {
      ++losses.lost;
      losses.pairs.push_back({pair, std::move(verdict)});
      continue;
    }
    losses.unknown += verdict.state == State::unknown ? 1U : 0U;
    ++left.left;
  }
  std::vector<NetworkLosses> all;
  for (auto& [name, losses] : by_network) {
    for (const auto& [pair, left] : hosts[name]) {
      ++losses.host_pairs;
      if (left.left == 0) losses.apart.push_back(pair);
    }
    all.push_back(std::move(losses));
  }
  return all;
}

std::string why(const Verdict& verdict) {
  const std::string at = verdict.at ? verdict.at->str() : "its way";
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
      return fmt::format("{} and ends before {}, which is away", what, node);
    case Cause::no_link:
      return fmt::format("{} and ends at {}, which has no link", what, at);
    case Cause::not_chained:
      return fmt::format("{} and ends at {}, whose card does not pass it on", what, at);
    case Cause::no_answer:
      return fmt::format("{}, and nobody answers its question by ARP", what);
    case Cause::filtered:
      return fmt::format("{} and is dropped at {} by rp_filter", what, at);
    case Cause::elsewhere:
      return fmt::format("{} and comes back by {}", what, at);
  }
  return {};
}

}  // namespace fabric::reach
