// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/what_if/any_loss.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/parallel.hpp"
#include "engine/discovery/reach_fabric.hpp"
#include "engine/model/topology/failure_domains.hpp"
#include "engine/model/topology/path_losses.hpp"
#include "engine/model/topology/transit.hpp"

namespace fabric::verify {

namespace {

using Pairs = std::vector<std::pair<NodeName, NodeName>>;

// For the index of each network: the parts of it that are out with a thing.
using Outages = std::map<std::size_t, TakenOut>;

struct Task {
  Thing thing;
  Outages outages;
};

Pairs difference(const Pairs& one, const Pairs& other) {
  Pairs left;
  std::set_difference(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(left));
  return left;
}

TakenOut both(TakenOut one, const TakenOut& other) {
  one.nodes.insert(other.nodes.begin(), other.nodes.end());
  one.cables.insert(one.cables.end(), other.cables.begin(), other.cables.end());
  one.ports.insert(other.ports.begin(), other.ports.end());
  one.managers.insert(one.managers.end(), other.managers.begin(), other.managers.end());
  return one;
}

// Replaces the lost pairs, which are those by the cables alone, by `pairs`.
void set_pairs(NetworkLoss& loss, Pairs pairs, std::size_t others) {
  loss.list = std::move(pairs);
  loss.pairs = loss.list.size();
  std::map<NodeName, std::size_t> lost;
  for (const auto& [a, b] : loss.list) {
    ++lost[a];
    ++lost[b];
  }
  loss.hosts.clear();
  loss.cut_off = 0;
  loss.example.reset();
  if (!loss.list.empty()) loss.example = loss.list.front();
  const bool is_one_alone =
      std::ranges::any_of(lost, [&](const auto& host) { return host.second == others; });
  for (const auto& [host, count] : lost) {
    // A host that lost only hosts that lost everything is not listed as well.
    if (is_one_alone && count < others) continue;
    loss.hosts.push_back(host);
    loss.cut_off += count == others ? 1 : 0;
  }
}

// Judges which hosts lose each other in one network.
class Judge {
 public:
  Judge(
      const FabricSpec& spec,
      const NetworkSpec& network,
      const std::vector<reach::NetworkNow>& chains)
      : cuts_{spec, network} {
    const auto chain = std::ranges::find_if(
        chains, [&](const auto& each) { return each.network == network.name; });
    if (chain != chains.end()) {
      working_ = reach::working_pairs(chain->fabric, chain->away);
      if (!working_.empty()) chain_ = &*chain;
    }
    if (!has_transit(network)) return;
    transit_.emplace(network);
    for (const NodeName& node : transit_->nodes()) {
      if (is_offline(spec, node)) offline_.insert(node);
    }
    never_met_ = transit_->lost_without({}, offline_);
  }

  const NetworkCuts& cuts() const { return cuts_; }
  // Something else than the cables decides.
  bool is_routed() const { return chain_ != nullptr || transit_.has_value(); }

  LossIn without(const TakenOut& taken, bool with_list = false) const {
    LossIn found{cuts_.network().name, cuts_.without(taken, with_list || is_routed())};
    if (chain_ != nullptr) by_addresses(taken, found);
    if (transit_) by_tables(taken, found);
    return found;
  }

 private:
  std::set<PortRef> ends_of(const TakenOut& taken) const {
    std::set<PortRef> dark;
    const std::vector<CableSpec>& cables = cuts_.network().cables;
    for (std::size_t cable = 0; cable < cables.size(); ++cable) {
      const PortRef& a = cables[cable].a.value;
      const PortRef& b = cables[cable].b.value;
      const bool is_out = std::ranges::find(taken.cables, cable) != taken.cables.end();
      if (is_out || taken.ports.contains(a) || taken.ports.contains(b)) dark.insert({a, b});
    }
    return dark;
  }

  std::size_t others(const TakenOut& taken) const {
    const auto left = std::ranges::count_if(
        cuts_.hosts(), [&](const NodeName& host) { return !taken.nodes.contains(host); });
    return left == 0 ? 0 : static_cast<std::size_t>(left) - 1;
  }

  void by_addresses(const TakenOut& taken, LossIn& found) const {
    reach::Away after = chain_->away;
    after.nodes.insert(taken.nodes.begin(), taken.nodes.end());
    after.dark.merge(ends_of(taken));
    reach::Losses losses = reach::losses_of(chain_->fabric, working_, after);
    if (losses.apart != found.loss.list)
      set_pairs(found.loss, std::move(losses.apart), others(taken));
    found.working = losses.worked;
    found.lost = losses.lost;
    found.unknown = losses.unknown;
    found.why = std::move(losses.example);
  }

  void by_tables(const TakenOut& taken, LossIn& found) const {
    std::set<NodeName> away = offline_;
    away.insert(taken.nodes.begin(), taken.nodes.end());
    Pairs lost = difference(transit_->lost_without(ends_of(taken), away), never_met_);
    if (lost != found.loss.list) set_pairs(found.loss, std::move(lost), others(taken));
  }

  NetworkCuts cuts_;
  const reach::NetworkNow* chain_ = nullptr;  // null: no two addresses of it reach each other
  std::vector<reach::AddressPair> working_;
  std::optional<TransitGraph> transit_;
  std::set<NodeName> offline_;  // for a network with transit
  Pairs never_met_;             // while nothing is taken out
};

// All networks, and the things of the document with their outages.
class Things {
 public:
  explicit Things(const FabricSpec& spec) : spec_{spec}, chains_{discovery::declared_paths(spec)} {
    for (const auto& [name, network] : spec.networks)
      networks_.push_back(&network);
    judges_.resize(networks_.size());
    for_each_index(networks_.size(), [&](std::size_t index) {
      judges_[index] = std::make_unique<Judge>(spec, *networks_[index], chains_);
    });
  }

  const Judge& judge(std::size_t network) const { return *judges_[network]; }
  const NetworkSpec& network(std::size_t number) const { return *networks_[number]; }

  std::vector<Task> cables_and_nodes() const {
    std::vector<Task> tasks = cables();
    add_nodes(false, tasks);
    add_nodes(true, tasks);
    return tasks;
  }

  std::vector<Task> all() const {
    std::vector<Task> tasks = cables();
    add_ports_and_cards(tasks);
    add_nodes(false, tasks);
    add_nodes(true, tasks);
    add_managers(tasks);
    add_domains(tasks);
    return tasks;
  }

 private:
  std::vector<Task> cables() const {
    std::vector<Task> tasks;
    for (std::size_t index = 0; index < networks_.size(); ++index) {
      const std::vector<CableSpec>& cables = networks_[index]->cables;
      for (std::size_t cable = 0; cable < cables.size(); ++cable) {
        const PortRef& a = cables[cable].a.value;
        const PortRef& b = cables[cable].b.value;
        tasks.push_back(
            {{Kind::cable, a.str() + " - " + b.str(), {a.node, b.node}},
             {{index, TakenOut{{}, {cable}}}}});
      }
    }
    return tasks;
  }

  void add_ports_and_cards(std::vector<Task>& tasks) const {
    std::map<std::pair<NodeName, std::string>, Outages> cards;
    for (std::size_t index = 0; index < networks_.size(); ++index) {
      for (const PortRef& port : networks_[index]->member_ports()) {
        if (!port.adapter.empty()) cards[{port.node, port.adapter}][index].ports.insert(port);
      }
      if (networks_[index]->mode.value != Mode::infiniband) continue;
      for (const Sourced<PortRef>& port : networks_[index]->ports)
        tasks.push_back(
            {{Kind::port, port.value.str(), {port.value.node}},
             {{index, TakenOut{{}, {}, {port.value}}}}});
    }
    for (auto& [card, outages] : cards)
      tasks.push_back(
          {{Kind::card, card.first.str() + "/" + card.second, {card.first}}, std::move(outages)});
  }

  Outages outages_of(const std::set<NodeName>& nodes) const {
    Outages outages;
    for (std::size_t index = 0; index < networks_.size(); ++index) {
      for (const NodeName& node : nodes) {
        if (judges_[index]->cuts().has(node)) outages[index].nodes.insert(node);
      }
    }
    return outages;
  }

  void add_nodes(bool switches, std::vector<Task>& tasks) const {
    for (const auto& [name, node] : spec_.nodes) {
      if (is_switch(node.platform.value) != switches || is_offline(node)) continue;
      Outages outages = outages_of({name});
      if (!outages.empty())
        tasks.push_back(
            {{switches ? Kind::switch_node : Kind::host, name.str(), {name}}, std::move(outages)});
    }
  }

  void add_managers(std::vector<Task>& tasks) const {
    for (std::size_t index = 0; index < networks_.size(); ++index) {
      const auto& placed = networks_[index]->subnet_managers;
      for (std::size_t manager = 0; manager < placed.size(); ++manager) {
        const NodeSpec* node = spec_.find_node(placed[manager].node.value);
        if (node == nullptr) continue;
        tasks.push_back(
            {{Kind::manager,
              fmt::format("{} of {}", node->name.str(), networks_[index]->name),
              {node->name}},
             {{index, TakenOut{{}, {}, {}, {manager}}}}});
      }
    }
  }

  void add_domains(std::vector<Task>& tasks) const {
    std::set<std::string> labels{"rack"};
    const std::string& per = spec_.rollout.per.value;
    if (!per.empty() && per != kBySwitch) labels.insert(per);
    std::map<std::pair<std::string, std::string>, std::set<NodeName>> domains;
    for (const auto& [name, node] : spec_.nodes) {
      for (const std::string& label : labels) {
        const auto value = node.labels.find(label);
        if (value != node.labels.end()) domains[{label, value->second.value}].insert(name);
      }
    }
    for (const auto& [domain, nodes] : domains)
      tasks.push_back(
          {{Kind::domain, domain.first + " " + domain.second, {nodes.begin(), nodes.end()}},
           outages_of(nodes)});
  }

  const FabricSpec& spec_;
  std::vector<reach::NetworkNow> chains_;
  std::vector<const NetworkSpec*> networks_;
  std::vector<std::unique_ptr<Judge>> judges_;
};

void count(const std::vector<Task>& tasks, AnyLoss& all) {
  for (const Task& task : tasks)
    ++all.counts[task.thing.kind];
}

std::vector<LossIn> losses_of(const Things& things, const Outages& outages) {
  std::vector<LossIn> losses;
  for (const auto& [network, taken] : outages) {
    LossIn found = things.judge(network).without(taken);
    Pairs{}.swap(found.loss.list);
    if (!found.is_nothing()) losses.push_back(std::move(found));
  }
  return losses;
}

// The losses by `first` and `second` together that neither causes alone, in one network.
class Together {
 public:
  // The network without `first`.
  Together(const FabricSpec& spec, const Judge& judge, const TakenOut& first)
      : judge_{judge}, first_{first} {
    if (judge.is_routed()) return;
    rest_.emplace(
        spec,
        judge.cuts().network(),
        first.nodes,
        std::set<std::size_t>{first.cables.begin(), first.cables.end()});
  }

  LossIn with(const TakenOut& second, const Pairs& by_first, const Pairs& by_second) const {
    LossIn found{judge_.cuts().network().name, {}};
    if (rest_) {
      found.loss = rest_->without(second, !by_second.empty());
      if (found.loss.pairs != 0 && !by_second.empty()) keep(found, by_second, second);
    } else {
      found.loss = judge_.without(both(first_, second), true).loss;
      Pairs alone = by_first;
      alone.insert(alone.end(), by_second.begin(), by_second.end());
      std::sort(alone.begin(), alone.end());
      keep(found, alone, second);
    }
    found.loss.bonds.clear();
    found.loss.list.clear();
    return found;
  }

 private:
  void keep(LossIn& found, const Pairs& known, const TakenOut& second) const {
    Pairs left = difference(found.loss.list, known);
    if (left.size() == found.loss.list.size()) return;
    const TakenOut all = both(first_, second);
    const auto up = std::count_if(
        judge_.cuts().hosts().begin(), judge_.cuts().hosts().end(), [&](const NodeName& host) {
          return !all.nodes.contains(host);
        });
    set_pairs(found.loss, std::move(left), up == 0 ? 0 : static_cast<std::size_t>(up) - 1);
  }

  const Judge& judge_;
  const TakenOut& first_;
  std::optional<NetworkCuts> rest_;
};

// The losses by one thing alone, by index of the network.
using Alone = std::map<std::size_t, LossIn>;

std::vector<Costly> with_others(
    const FabricSpec& spec,
    const Things& things,
    const std::vector<Task>& tasks,
    const std::vector<Alone>& alone,
    std::size_t first) {
  std::map<std::size_t, Together> together;
  for (const auto& [network, taken] : tasks[first].outages)
    together.try_emplace(network, spec, things.judge(network), taken);
  std::vector<Costly> costly;
  for (std::size_t second = first + 1; second < tasks.size(); ++second) {
    std::vector<LossIn> losses;
    for (const auto& [network, taken] : tasks[second].outages) {
      const auto rest = together.find(network);
      if (rest == together.end()) continue;
      const NetworkLoss& one = alone[first].at(network).loss;
      const NetworkLoss& other = alone[second].at(network).loss;
      LossIn found = rest->second.with(taken, one.list, other.list);
      if (!one.unmanaged.empty() || !other.unmanaged.empty()) found.loss.unmanaged.clear();
      if (!found.is_nothing()) losses.push_back(std::move(found));
    }
    if (!losses.empty())
      costly.push_back({{tasks[first].thing, tasks[second].thing}, std::move(losses)});
  }
  return costly;
}

// The numbers of a loss that are equal for two like losses.
auto shape_of(const LossIn& loss) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> bonds;
  for (const WeakBond& bond : loss.loss.bonds)
    ++bonds[{bond.left, bond.all}];
  return std::tuple{
      loss.loss.pairs,
      loss.loss.hosts.size(),
      loss.loss.cut_off,
      std::move(bonds),
      loss.loss.unmanaged.size(),
      loss.lost,
      loss.unknown};
}

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::cable:
      return "cable";
    case Kind::port:
      return "port";
    case Kind::card:
      return "card";
    case Kind::host:
      return "host";
    case Kind::switch_node:
      return "switch";
    case Kind::manager:
      return "manager";
    case Kind::domain:
      return "domain";
  }
  report_bug(__FILE__, __LINE__, "unknown kind of thing");
}

AnyLoss any_one(const FabricSpec& spec) {
  const Things things{spec};
  const std::vector<Task> tasks = things.all();
  AnyLoss all;
  count(tasks, all);
  std::vector<std::vector<LossIn>> losses(tasks.size());
  for_each_index(tasks.size(), [&](std::size_t index) {
    losses[index] = losses_of(things, tasks[index].outages);
  });
  for (std::size_t index = 0; index < tasks.size(); ++index) {
    if (!losses[index].empty())
      all.costly.push_back({{tasks[index].thing}, std::move(losses[index])});
  }
  return all;
}

Result<AnyLoss> any_two(const FabricSpec& spec) {
  if (spec.nodes.size() > kMostNodesForTwo)
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "the document has {} nodes, and losses of two things at once are computed for {} nodes "
            "at most",
            spec.nodes.size(),
            kMostNodesForTwo)};
  const Things things{spec};
  const std::vector<Task> tasks = things.cables_and_nodes();
  AnyLoss all;
  count(tasks, all);
  all.combinations = tasks.size() * (tasks.size() - (tasks.empty() ? 0 : 1)) / 2;
  std::vector<Alone> alone(tasks.size());
  for_each_index(tasks.size(), [&](std::size_t index) {
    for (const auto& [network, taken] : tasks[index].outages)
      alone[index].emplace(network, things.judge(network).without(taken, true));
  });
  std::vector<std::vector<Costly>> costly(tasks.size());
  for_each_index(tasks.size(), [&](std::size_t first) {
    costly[first] = with_others(spec, things, tasks, alone, first);
  });
  for (std::vector<Costly>& each : costly)
    std::move(each.begin(), each.end(), std::back_inserter(all.costly));
  return all;
}

std::vector<LikeLosses> alike(const AnyLoss& all) {
  using Shape = decltype(shape_of(std::declval<LossIn>()));
  std::map<std::pair<std::vector<Kind>, std::vector<Shape>>, std::size_t> known;
  std::vector<LikeLosses> groups;
  std::vector<std::set<std::string>> networks;
  for (const Costly& costly : all.costly) {
    std::pair<std::vector<Kind>, std::vector<Shape>> key;
    for (const Thing& thing : costly.things)
      key.first.push_back(thing.kind);
    for (const LossIn& loss : costly.losses)
      key.second.push_back(shape_of(loss));
    const auto [found, is_new] = known.emplace(std::move(key), groups.size());
    if (is_new) {
      groups.emplace_back();
      networks.emplace_back();
    }
    groups[found->second].members.push_back(&costly);
    for (const LossIn& loss : costly.losses)
      networks[found->second].insert(loss.network);
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups[i].networks.assign(networks[i].begin(), networks[i].end());
  return groups;
}

}  // namespace fabric::verify
