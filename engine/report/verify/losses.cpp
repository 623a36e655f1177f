// SPDX-License-Identifier: Apache-2.0
#include "engine/report/verify/losses.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/value/lists.hpp"

namespace fabric::report {

namespace {

using verify::AnyLoss;
using verify::Costly;
using verify::Kind;
using verify::LikeLosses;
using verify::LossIn;

constexpr std::size_t kShown = 20;
constexpr std::size_t kLongestSet = 60;  // of names, in a line of words

std::string hosts_count(std::size_t number) {
  return count(number, "host");
}
// "54 switches"
std::string counted(Kind kind, std::size_t number) {
  const std::string name{to_string(kind)};
  return count(number, name, name + (kind == Kind::switch_node ? "es" : "s"));
}

// "18 hosts are cut off, 2 hosts lose some of the others"
void add_pairs(const NetworkLoss& loss, std::vector<std::string>& parts) {
  if (loss.pairs == 0) return;
  const std::size_t some = loss.hosts.size() - loss.cut_off;
  if (loss.cut_off != 0)
    parts.push_back(fmt::format(
        "{} reach{} no other host", hosts_count(loss.cut_off), loss.cut_off == 1 ? "es" : ""));
  if (some != 0)
    parts.push_back(fmt::format(
        "{} lose{} some of the others ({} pair{})",
        hosts_count(some),
        some == 1 ? "s" : "",
        loss.pairs,
        loss.pairs == 1 ? "" : "s"));
}

// "each of 36 switches", "2 switches and cables together"
std::string title_of(const LikeLosses& group) {
  const std::size_t members = group.members.size();
  const std::vector<verify::Thing>& things = group.members.front()->things;
  if (things.size() == 1) {
    return members == 1 ? "1 " + std::string{to_string(things.front().kind)}
                        : "each of " + counted(things.front().kind, members);
  }
  const Kind one = things.front().kind;
  const Kind other = things.back().kind;
  const std::string what = one == other
                               ? "two " + counted(one, 2).substr(2)
                               : fmt::format("a {} and a {}", to_string(one), to_string(other));
  return members == 1 ? what : fmt::format("{}, in each of {} pairs", what, members);
}

std::string name_of(const Costly& costly) {
  std::vector<std::string> names;
  for (const verify::Thing& thing : costly.things)
    names.push_back(thing.name);
  return join(names, " with ");
}

// For nodes all names, for other components the first.
std::string names_of(const LikeLosses& group) {
  const Costly& first = *group.members.front();
  const Kind kind = first.things.front().kind;
  if (first.things.size() > 1 || (kind != Kind::host && kind != Kind::switch_node))
    return group.members.size() == 1 ? name_of(first) : "such as " + name_of(first);
  std::vector<std::string> names;
  for (const Costly* member : group.members)
    names.push_back(member->things.front().name);
  std::string folded = fold(std::move(names));
  return folded.size() <= kLongestSet ? folded : "such as " + name_of(first);
}

std::string example_of(const LikeLosses& group) {
  const Costly& first = *group.members.front();
  for (const LossIn& loss : first.losses) {
    const std::string without = group.members.size() == 1 ? "" : "without " + name_of(first) + ": ";
    if (loss.loss.example) {
      const auto& [a, b] = *loss.loss.example;
      return fmt::format(
          "{}{} and {} lose each other in {}{}",
          without,
          a.str(),
          b.str(),
          loss.network,
          loss.loss.hosts.size() > 1 ? ", among " + fold(loss.loss.hosts) : "");
    }
    if (!loss.loss.unmanaged.empty())
      return fmt::format(
          "{}{} have no subnet manager in {}", without, fold(loss.loss.unmanaged), loss.network);
    if (!loss.why.empty()) return without + loss.why;
  }
  return {};
}

// The losses in one line, with the network if the members lose in only one.
std::string losses_of(const LikeLosses& group) {
  const std::vector<LossIn>& losses = group.members.front()->losses;
  if (losses.size() == 1)
    return fmt::format("{} in {}", loss_words(losses.front()), fold(group.networks));
  std::map<std::string, std::vector<std::string>> networks;
  std::vector<std::string> order;
  for (const LossIn& loss : losses) {
    const std::string words = loss_words(loss);
    if (networks[words].empty()) order.push_back(words);
    networks[words].push_back(loss.network);
  }
  std::vector<std::string> parts;
  for (const std::string& words : order)
    parts.push_back(fmt::format("{} in {}", words, fold(networks[words])));
  return join(parts, "; ");
}

std::string counts_text(const std::map<Kind, std::size_t>& counts) {
  std::vector<std::string> parts;
  for (const auto& [kind, number] : counts) {
    if (number != 0) parts.push_back(counted(kind, number));
  }
  return join(parts, ", ");
}

std::string counts_of(const AnyLoss& all) {
  return all.counts.empty() ? "nothing" : counts_text(all.counts);
}

// The components whose loss has no effect.
std::string harmless(const AnyLoss& all) {
  std::map<Kind, std::size_t> counts = all.counts;
  for (const Costly& costly : all.costly)
    --counts[costly.things.front().kind];
  return counts_text(counts);
}

}  // namespace

std::string loss_head(const AnyLoss& all) {
  if (all.combinations == 0)
    return fmt::format("loss of each one, computed from the document: {}", counts_of(all));
  return fmt::format(
      "loss of any two, computed from the document: {} pairs of {}",
      all.combinations,
      counts_of(all));
}

std::string loss_words(const LossIn& loss) {
  std::vector<std::string> parts;
  add_pairs(loss.loss, parts);
  if (!loss.loss.unmanaged.empty())
    parts.push_back(
        fmt::format("{} without a subnet manager", hosts_count(loss.loss.unmanaged.size())));
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> bonds;
  for (const WeakBond& bond : loss.loss.bonds)
    ++bonds[{bond.left, bond.all}];
  for (const auto& [ports, hosts] : bonds) {
    // The words above say that already.
    if (ports.first == 0 && loss.loss.cut_off == hosts) continue;
    parts.push_back(fmt::format(
        "{} of {} keep{} {} of {} ports",
        hosts == 1 ? "the bond" : "the bonds",
        hosts_count(hosts),
        hosts == 1 ? "s" : "",
        ports.first,
        ports.second));
  }
  if (loss.lost != 0)
    parts.push_back(fmt::format("{} of {} pairs of addresses are lost", loss.lost, loss.working));
  if (loss.unknown != 0)
    parts.push_back(
        fmt::format("{} of {} pairs of addresses may be lost", loss.unknown, loss.working));
  return join(parts, ", ");
}

std::vector<LossRow> loss_rows(const AnyLoss& all) {
  std::vector<LossRow> rows;
  for (const LikeLosses& group : verify::alike(all))
    rows.push_back({title_of(group), names_of(group), losses_of(group), example_of(group)});
  return rows;
}

Text any_loss_text(const AnyLoss& all, const Style& style) {
  Text text = compose("{}\n", loss_head(all));
  const std::vector<LossRow> rows = loss_rows(all);
  std::size_t shown = 0;
  for (const LossRow& row : rows) {
    if (!style.verbose && shown++ == kShown) {
      text += compose("  {} more kinds of loss; --verbose shows all\n", rows.size() - kShown);
      break;
    }
    const std::string line = fmt::format("{} ({}): {}", row.without, row.names, row.lost);
    text += "  " + wrap(Text{line}, style.width - 2, 4) + "\n";
    if (!row.example.empty()) text += "    " + wrap(Text{row.example}, style.width - 4, 6) + "\n";
  }
  if (all.combinations != 0) {
    text += compose(
        "{} of {} pairs lose more than each of the two alone\n",
        all.costly.size(),
        all.combinations);
  } else if (const std::string rest = harmless(all); !rest.empty()) {
    const std::string line = fmt::format("no host loses anything by any of {}", rest);
    text += "  " + wrap(Text{line}, style.width - 2, 4) + "\n";
  }
  return text;
}

Value any_loss_value(const AnyLoss& all) {
  const auto number = [](std::size_t count) {
    return static_cast<std::int64_t>(count);
  };
  const auto names = [](const std::vector<NodeName>& nodes) {
    return to_list(nodes);
  };
  Map counts;
  for (const auto& [kind, total] : all.counts)
    counts.emplace(std::string{to_string(kind)}, number(total));
  List costly;
  for (const Costly& each : all.costly) {
    List things, networks;
    for (const verify::Thing& thing : each.things)
      things.emplace_back(Map{{"kind", to_string(thing.kind)}, {"name", thing.name}});
    for (const LossIn& loss : each.losses) {
      Map network{{"network", loss.network}};
      if (loss.loss.pairs != 0) {
        network.emplace("pairs", number(loss.loss.pairs));
        network.emplace("hosts", names(loss.loss.hosts));
        network.emplace("cut_off", number(loss.loss.cut_off));
      }
      if (loss.loss.example)
        network.emplace("example", names({loss.loss.example->first, loss.loss.example->second}));
      List bonds;
      for (const WeakBond& bond : loss.loss.bonds)
        bonds.emplace_back(
            Map{{"node", bond.node.str()}, {"left", number(bond.left)}, {"all", number(bond.all)}});
      if (!bonds.empty()) network.emplace("bonds", std::move(bonds));
      if (!loss.loss.unmanaged.empty()) network.emplace("unmanaged", names(loss.loss.unmanaged));
      if (loss.lost != 0 || loss.unknown != 0)
        network.emplace(
            "addresses",
            Map{{"working", number(loss.working)},
                {"lost", number(loss.lost)},
                {"unknown", number(loss.unknown)},
                {"why", loss.why}});
      networks.emplace_back(std::move(network));
    }
    costly.emplace_back(Map{{"things", std::move(things)}, {"networks", std::move(networks)}});
  }
  return Map{
      {"things", std::move(counts)},
      {"combinations", number(all.combinations)},
      {"costly", std::move(costly)}};
}

namespace {

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
