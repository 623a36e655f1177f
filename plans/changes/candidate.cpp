// SPDX-License-Identifier: Apache-2.0
#include "plans/changes/candidate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/graph/dag.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/model/resource_keys.hpp"

namespace fabric::plans {

ResourceIndex::ResourceIndex(const std::vector<Resource>& resources, const Order& order) {
  std::map<ResourceAddress, std::size_t> index_of;
  for (const Resource& resource : resources)
    resources_.push_back(&resource);
  std::ranges::sort(
      resources_, [](const Resource* a, const Resource* b) { return a->address < b->address; });
  for (std::size_t i = 0; i < resources_.size(); ++i)
    index_of.emplace(resources_[i]->address, i);

  graph::Dag dag{resources_.size()};
  before_.resize(resources_.size());
  beneath_.resize(resources_.size());
  const auto connect = [&](std::size_t index,
                           const std::vector<ResourceAddress>& addresses,
                           std::vector<std::size_t>* also) {
    for (const ResourceAddress& address : addresses) {
      const auto found = index_of.find(address);
      if (found == index_of.end() ||
          (!order.dropped.empty() && order.dropped.contains({address, at(index).address})))
        continue;
      before_[index].push_back(found->second);
      if (also != nullptr) also->push_back(found->second);
      dag.add_edge(found->second, index);
    }
  };
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    connect(i, resources_[i]->after, nullptr);
    connect(i, resources_[i]->beneath, &beneath_[i]);
  }
  for (const auto& [first, then] : order.edges) {
    const std::size_t before = index_of.at(first);
    const std::size_t after = index_of.at(then);
    dag.add_edge(before, after);
    if (std::find(before_[after].begin(), before_[after].end(), before) != before_[after].end())
      continue;
    before_[after].push_back(before);
    for_order_.emplace(before, after);
  }
  if (auto sorted = dag.topological_order()) {
    order_ = std::move(sorted).value();
  } else if (!order.empty()) {
    *this = ResourceIndex{resources};
  } else {
    cycle_ = dag.find_cycle();
  }
}

ResourceIndex ResourceIndex::reversed() const {
  ResourceIndex turned = *this;
  turned.is_reversed_ = true;
  turned.for_order_.clear();
  for (std::vector<std::size_t>& each : turned.before_)
    each.clear();
  for (std::size_t index = 0; index < before_.size(); ++index) {
    for (const std::size_t before : before_[index]) {
      turned.before_[before].push_back(index);
      if (is_for_order(before, index)) turned.for_order_.emplace(index, before);
    }
  }
  std::reverse(turned.order_.begin(), turned.order_.end());
  return turned;
}

namespace {

// "HOST_CHAINING_MODE is unknown (not supported by this firmware)"
Withheld unknown_one(const Change& change) {
  for (const AttributeChange& attribute : change.attributes) {
    for (const Layer layer : {Layer::next_boot, Layer::persistent, Layer::running}) {
      const std::optional<Reading>& reading = attribute.observed.layer(layer);
      if (!reading || !reading->is_unknown()) continue;
      if (layer == Layer::running && attribute.observed.next_boot) continue;
      return {
          .why = Withheld::Why::unknown,
          .needs = reading->needs(),
          .detail = fmt::format("{} is unknown ({})", attribute.attribute, reading->why())};
    }
  }
  return {.why = Withheld::Why::unknown, .detail = "it can't be read"};
}

// The package that makes a layer of the attribute readable; "" where no package would help.
std::string package_needed(const LayeredReading& reading) {
  for (const auto* layer : {&reading.running, &reading.next_boot, &reading.persistent}) {
    const Need needs = *layer ? (*layer)->needs() : Need{};
    if (!needs.package.empty()) return needs.package;
  }
  return {};
}

}  // namespace

void judge_by_itself(Candidates& candidates) {
  for (Candidate& candidate : candidates) {
    if (!candidate.change.by_record) candidate.withheld.reset();
    if (only_observed(candidate.change.resource)) {
      candidate.withheld = Withheld{.why = Withheld::Why::observed};
    } else if (candidate.change.kind == ChangeKind::unknown) {
      candidate.withheld = unknown_one(candidate.change);
    }
  }
}

namespace {

using ByAddress = std::map<ResourceAddress, Candidate*>;

void block(Candidate& candidate, const Candidate& by) {
  candidate.withhold({.why = Withheld::Why::waits, .on = by.address()});
}

bool block_later(const ByAddress& by_address, const ResourceIndex& resources) {
  // For each resource: the change without a plan that it waits for, directly or not.
  std::vector<const Candidate*> blocker(resources.size(), nullptr);
  bool blocked = false;
  for (const std::size_t index : resources.order()) {
    for (const std::size_t before : resources.before(index)) {
      if (blocker[index] == nullptr) blocker[index] = blocker[before];
    }
    const auto found = by_address.find(resources.at(index).address);
    if (found == by_address.end()) continue;
    Candidate& candidate = *found->second;
    if (candidate.planned() && blocker[index] != nullptr) {
      block(candidate, *blocker[index]);
      blocked = true;
    }
    // The message names the first cause, not the nearest.
    if (!candidate.planned() && blocker[index] == nullptr) blocker[index] = &candidate;
  }
  return blocked;
}

bool block_parts(const ByAddress& by_address) {
  bool blocked = false;
  for (const auto& [address, candidate] : by_address) {
    const std::optional<ResourceAddress>& whole = candidate->change.resource.part_of;
    if (!whole || !candidate->planned()) continue;
    const auto found = by_address.find(*whole);
    if (found == by_address.end() || found->second->planned()) continue;
    block(*candidate, *found->second);
    blocked = true;
  }
  return blocked;
}

}  // namespace

bool block_dependants(Candidates& candidates, const ResourceIndex& resources) {
  ByAddress by_address;
  for (Candidate& candidate : candidates)
    by_address.emplace(candidate.address(), &candidate);
  // A whole that waits for one part blocks its other parts, and the resources after those.
  bool blocked = block_later(by_address, resources);
  while (block_parts(by_address)) {
    blocked = true;
    block_later(by_address, resources);
  }
  return blocked;
}

std::string leave_for_next_round(Candidates& candidates) {
  const auto is_installed = [&](const NodeName& node, const std::string& package) {
    return std::ranges::any_of(candidates, [&](const Candidate& each) {
      const ResourceAddress& address = each.address();
      return each.planned() && address.node == node && address.kind == kinds::kPackage &&
             address.name == package;
    });
  };
  std::map<std::string, std::vector<NodeName>> packages;
  for (const Candidate& candidate : candidates) {
    for (const AttributeChange& each : candidate.change.attributes) {
      const std::string package = package_needed(each.observed);
      if (package.empty() || !is_installed(candidate.address().node, package)) continue;
      std::vector<NodeName>& nodes = packages[package];
      if (nodes.empty() || nodes.back() != candidate.address().node)
        nodes.push_back(candidate.address().node);
    }
  }
  if (packages.empty()) return {};
  std::vector<std::string> first;
  for (const auto& [package, nodes] : packages)
    first.push_back(fmt::format("{} on {}", package, fold(nodes)));
  std::string round = join(first, ", ");
  for (Candidate& candidate : candidates) {
    if (candidate.planned() && candidate.address().kind != kinds::kPackage)
      candidate.withhold({.why = Withheld::Why::next_round, .detail = round});
  }
  return round;
}

std::string leave_for_boots(Candidates& candidates, const std::set<NodeName>& reboots) {
  const auto is_told_by_boot = [&reboots](const Candidate& each) {
    return each.withheld && each.withheld->why == Withheld::Why::unknown &&
           each.withheld->needs.boot && reboots.contains(each.address().node);
  };
  std::set<NodeName> nodes;
  for (const Candidate& candidate : candidates) {
    if (is_told_by_boot(candidate)) nodes.insert(candidate.address().node);
  }
  if (nodes.empty()) return {};
  std::string round =
      fmt::format("the boot of {}", fold(std::vector<NodeName>{nodes.begin(), nodes.end()}));
  for (Candidate& candidate : candidates) {
    if (is_told_by_boot(candidate))
      candidate.withheld = Withheld{
          .why = Withheld::Why::next_round, .needs = candidate.withheld->needs, .detail = round};
  }
  return round;
}

std::vector<std::vector<std::size_t>> prerequisites(
    const ResourceIndex& resources, const std::vector<const Candidate*>& planned) {
  std::vector<std::vector<std::size_t>> all(resources.size());
  for (const std::size_t index : resources.order()) {
    std::vector<std::size_t>& mine = all[index];
    for (const std::size_t before : resources.before(index)) {
      if (planned[before] != nullptr) mine.push_back(before);
      if (planned[before] == nullptr || planned[before]->drafts.empty()) {
        mine.insert(mine.end(), all[before].begin(), all[before].end());
      }
    }
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  }
  return all;
}

std::vector<const Candidate*> planned_by_index(
    const Candidates& candidates, const ResourceIndex& resources) {
  std::vector<const Candidate*> planned(resources.size(), nullptr);
  auto candidate = candidates.begin();
  for (std::size_t index = 0; index < resources.size() && candidate != candidates.end(); ++index) {
    if (candidate->address() != resources.at(index).address) continue;
    if (candidate->planned()) planned[index] = &*candidate;
    ++candidate;
  }
  FABRIC_CHECK(candidate == candidates.end(), "a change that belongs to no resource");
  return planned;
}

namespace {

// True for a resource whose work affects nothing else while its node stays up.
bool is_quiet(const Candidate& candidate, const std::set<NodeName>& reboots) {
  return !candidate.drafts.empty() && !reboots.contains(candidate.address().node) &&
         std::ranges::all_of(candidate.drafts, [](const ActionDraft& draft) {
           return draft.disruption < Disruption::link && draft.by_hand.empty() &&
                  draft.boots_in.empty();
         });
}

// The managers that this plan orders, and the unnoticed work of their nodes that they wait for.
std::vector<bool> done_apart(
    const ResourceIndex& resources,
    const std::vector<const Candidate*>& planned,
    const std::set<NodeName>& reboots) {
  std::vector<bool> apart(resources.size(), false);
  std::vector<std::size_t> left;
  const auto take = [&](std::size_t index) {
    if (planned[index] == nullptr || apart[index] || !is_quiet(*planned[index], reboots)) return;
    apart[index] = true;
    left.push_back(index);
  };
  for (std::size_t index = 0; index < resources.size(); ++index) {
    for (const std::size_t before : resources.before(index)) {
      if (!resources.is_for_order(before, index)) continue;
      for (const std::size_t each : {before, index})
        if (resources.at(each).address.kind == kinds::kSubnetManager) take(each);
    }
  }
  while (!left.empty()) {
    const std::size_t index = left.back();
    left.pop_back();
    for (const std::size_t before : resources.before(index)) {
      const ResourceAddress& address = resources.at(before).address;
      if (address.node == resources.at(index).address.node || address.kind == kinds::kSubnetManager)
        take(before);
    }
  }
  return apart;
}

}  // namespace

NodeOrder node_order(
    const Candidates& candidates,
    const ResourceIndex& resources,
    const std::set<NodeName>& reboots) {
  const std::vector<const Candidate*> planned = planned_by_index(candidates, resources);
  auto needed = prerequisites(resources, planned);
  const std::vector<bool> apart = done_apart(resources, planned, reboots);
  NodeOrder order;
  // Follows resources that are themselves done apart: the work they wait for is known by then.
  for (const std::size_t index : resources.order()) {
    if (planned[index] == nullptr) continue;
    std::vector<std::size_t> blocks;
    for (const std::size_t before : needed[index]) {
      if (!apart[before]) {
        blocks.push_back(before);
      } else {
        blocks.insert(blocks.end(), needed[before].begin(), needed[before].end());
      }
    }
    needed[index] = std::move(blocks);
    if (!apart[index]) continue;
    std::set<NodeName>& nodes = order.apart[planned[index]->address()];
    for (const std::size_t before : needed[index])
      nodes.insert(planned[before]->address().node);
  }
  std::map<std::pair<NodeName, NodeName>, NodeEdge> edges;
  for (std::size_t index = 0; index < planned.size(); ++index) {
    if (planned[index] == nullptr || planned[index]->by_hand() || apart[index]) continue;
    for (const std::size_t before : needed[index]) {
      const NodeName& from = planned[before]->address().node;
      const NodeName& to = planned[index]->address().node;
      if (from != to) edges.try_emplace({from, to}, NodeEdge{from, to, index, before});
    }
  }
  order.edges.reserve(edges.size());
  for (auto& [nodes, edge] : edges)
    order.edges.push_back(std::move(edge));
  return order;
}

std::vector<NodeEdge> cycle_of(const std::vector<NodeEdge>& edges) {
  std::map<NodeName, std::size_t> index_of;
  for (const NodeEdge& edge : edges) {
    index_of.emplace(edge.before, index_of.size());
    index_of.emplace(edge.after, index_of.size());
  }
  graph::Dag dag{index_of.size()};
  for (const NodeEdge& edge : edges)
    dag.add_edge(index_of.at(edge.before), index_of.at(edge.after));
  const std::vector<std::size_t> cycle = dag.find_cycle();
  std::vector<NodeEdge> found;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto edge = std::ranges::find_if(edges, [&](const NodeEdge& each) {
      return index_of.at(each.before) == cycle[i] &&
             index_of.at(each.after) == cycle[(i + 1) % cycle.size()];
    });
    FABRIC_CHECK(edge != edges.end(), "a cycle over an edge that does not exist");
    found.push_back(*edge);
  }
  return found;
}

ActionDraft take_draft(ActionDraft& draft) {
  ActionDraft left;
  left.stage = draft.stage;
  left.may_cut_off = draft.may_cut_off;
  left.by_hand = draft.by_hand;
  left.boots_in = draft.boots_in;
  left.after_boot = draft.after_boot;
  if (!draft.boots_in.empty()) {
    left.title = draft.title;
    left.postconditions = draft.postconditions;
  }
  if (draft.may_cut_off && draft.stage == Stage::prepare) left.undo = draft.undo;
  return std::exchange(draft, std::move(left));
}

}  // namespace fabric::plans
