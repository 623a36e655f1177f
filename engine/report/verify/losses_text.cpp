// SPDX-License-Identifier: Apache-2.0
#include "engine/report/verify/losses_text.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/node_set_text.hpp"
#include "engine/value/lists.hpp"

namespace fabric::report {

namespace {

constexpr std::size_t kShown = 20;

std::vector<NodeName> list_of(const std::set<NodeName>& nodes) {
  return {nodes.begin(), nodes.end()};
}

Text outage_text(const verify::Outage& outage) {
  Text text;
  if (!outage.down.empty()) text += compose("down: {}\n", fold(list_of(outage.down)));
  for (const auto& [a, b] : outage.cut)
    text += compose("cut:  {} - {}\n", a.str(), b.str());
  return text;
}

// Hosts that lost each other, folded: for each host the set of those that it lost.
Text pairs_text(const verify::Losses& losses, const Style& style) {
  std::map<std::pair<std::string, NodeName>, std::set<NodeName>> by_host;
  for (const verify::LostPair& pair : losses.lost)
    by_host[{pair.network, pair.a}].insert(pair.b);
  std::map<std::pair<std::string, std::set<NodeName>>, std::set<NodeName>> equal;
  for (const auto& [host, others] : by_host)
    equal[{host.first, others}].insert(host.second);
  Text text;
  std::size_t shown = 0;
  for (const auto& [what, hosts] : equal) {
    if (!style.verbose && shown++ == kShown) {
      text += compose("  {} more; --verbose shows all\n", equal.size() - kShown);
      break;
    }
    text +=
        compose("  {}: {} and {}\n", what.first, fold(list_of(hosts)), fold(list_of(what.second)));
  }
  return text;
}

// The addresses to use meanwhile, host by host: "pve2 10.30.0.3 - 10.30.0.6 pve3".
Text left_text(const verify::AddressPairs& pairs, const Style& style) {
  Text text;
  std::size_t shown = 0;
  for (const reach::AddressPair& pair : pairs.left) {
    if (!style.verbose && shown++ == kShown) {
      text += compose("  {} more; --verbose shows all\n", pairs.left.size() - kShown);
      break;
    }
    text += compose(
        "  {} {} - {} {}\n",
        pair.a.node.str(),
        pair.of_a.str(),
        pair.of_b.str(),
        pair.b.node.str());
  }
  return text.empty() ? text : compose("{}: these pairs are left:\n", pairs.network) + text;
}

}  // namespace

Text losses_text(const verify::Outage& outage, const verify::Losses& losses, const Style& style) {
  Text text = outage_text(outage);
  if (losses.lost.empty() && losses.bonds.empty() && losses.unmanaged.empty() &&
      losses.addresses.empty())
    return text +
           compose("nothing is lost: all {} pairs of hosts still reach each other\n", losses.pairs);
  text += compose("{} of {} pairs of hosts lose each other\n", losses.lost.size(), losses.pairs);
  text += pairs_text(losses, style);
  for (const verify::AddressPairs& pairs : losses.addresses) {
    text += compose(
        "{}: {} of {} pairs of addresses are lost", pairs.network, pairs.lost, pairs.working);
    if (pairs.unknown != 0) text += compose(", {} are not known", pairs.unknown);
    text += "\n";
    if (!pairs.example.empty())
      text += "  " + wrap(Text{compose("{}", pairs.example)}, style.width - 2, 4) + "\n";
    text += left_text(pairs, style);
  }
  for (const verify::UnmanagedSubnet& subnet : losses.unmanaged)
    text += compose("{}: {} have no subnet manager\n", subnet.network, fold(subnet.hosts));
  std::map<std::pair<std::string, std::pair<std::size_t, std::size_t>>, std::set<NodeName>> bonds;
  for (const WeakBond& bond : losses.bonds)
    bonds[{bond.network, {bond.left, bond.all}}].insert(bond.node);
  for (const auto& [what, nodes] : bonds)
    text += compose(
        "{}: the bond of {} keeps {} of {} ports\n",
        what.first,
        fold(list_of(nodes)),
        what.second.first,
        what.second.second);
  return text;
}

Value losses_value(const verify::Outage& outage, const verify::Losses& losses) {
  const auto number = [](std::size_t count) {
    return static_cast<std::int64_t>(count);
  };
  const auto names = [](const auto& nodes) {
    return to_list(nodes);
  };
  List cut, lost, bonds, unmanaged, addresses;
  for (const verify::AddressPairs& pairs : losses.addresses) {
    List left;
    for (const reach::AddressPair& pair : pairs.left)
      left.emplace_back(
          Map{{"a", pair.a.str()},
              {"b", pair.b.str()},
              {"of_a", pair.of_a.str()},
              {"of_b", pair.of_b.str()}});
    addresses.emplace_back(
        Map{{"network", pairs.network},
            {"working", number(pairs.working)},
            {"lost", number(pairs.lost)},
            {"unknown", number(pairs.unknown)},
            {"example", pairs.example},
            {"left", std::move(left)}});
  }
  for (const auto& [a, b] : outage.cut)
    cut.emplace_back(List{Value{a.str()}, Value{b.str()}});
  for (const verify::LostPair& pair : losses.lost)
    lost.emplace_back(Map{{"network", pair.network}, {"a", pair.a.str()}, {"b", pair.b.str()}});
  for (const WeakBond& bond : losses.bonds)
    bonds.emplace_back(
        Map{{"network", bond.network},
            {"node", bond.node.str()},
            {"left", number(bond.left)},
            {"all", number(bond.all)}});
  for (const verify::UnmanagedSubnet& subnet : losses.unmanaged)
    unmanaged.emplace_back(Map{{"network", subnet.network}, {"hosts", names(subnet.hosts)}});
  return Map{
      {"down", names(outage.down)},
      {"cut", std::move(cut)},
      {"pairs", number(losses.pairs)},
      {"lost", std::move(lost)},
      {"bonds", std::move(bonds)},
      {"unmanaged", std::move(unmanaged)},
      {"addresses", std::move(addresses)}};
}

}  // namespace fabric::report
