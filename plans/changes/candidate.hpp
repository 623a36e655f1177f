// SPDX-License-Identifier: Apache-2.0
// Candidate: a change on its way into the plan. It either gets work or a reason why it has none.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/resource.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/registry.hpp"
#include "plans/changes/withheld.hpp"

namespace fabric::plans {

// Order: the order of this plan's changes, beyond that of the resources themselves.
struct Order {
  using Pair = std::pair<ResourceAddress, ResourceAddress>;  // (before, after)
  std::set<Pair> edges;
  // edges of Resource::after that point the other way in this plan
  std::set<Pair> dropped;
  bool empty() const { return edges.empty() && dropped.empty(); }
};

struct Candidate {
  Change change;
  std::optional<Withheld> withheld;  // nullopt = planned
  std::vector<ActionDraft> drafts;   // the work of its provider; empty unless planned
  // Drafts of the resources that the planned boot changes without an action of their own: whether
  // the change may cut the node off or disturb it, and how it is rolled back.
  std::vector<ActionDraft> done_by_boot{};
  // For a change that undoes a run by its record: the work that replaces the provider's work.
  std::vector<ActionDraft> recorded{};

  const ResourceAddress& address() const { return change.resource.address; }
  bool planned() const { return !withheld; }
  void withhold(Withheld why) {
    withheld = std::move(why);
    drafts.clear();
  }
  // A person does this work, after all other work on its node.
  bool by_hand() const { return !drafts.empty() && !drafts.front().by_hand.empty(); }
};

// In order of address.
using Candidates = std::vector<Candidate>;

// The draft of an action, moved out of its candidate, so that the work of a large fabric is not in
// memory twice. The part that a boot asks of the draft later stays behind, and so does the mark of
// work by a person.
ActionDraft take_draft(ActionDraft& draft);

// The resources of a document by address, with their edges in both directions.
class ResourceIndex {
 public:
  ResourceIndex() = default;
  // `resources` must outlive this object. An edge of `order` that would make a cycle is left out.
  explicit ResourceIndex(const std::vector<Resource>& resources, const Order& order = {});
  std::size_t size() const { return resources_.size(); }
  const Resource& at(std::size_t index) const { return *resources_[index]; }
  // Indices of the resources that resource `index` must come after. Names that the document lacks
  // (a plan limited to some nodes) are left out.
  const std::vector<std::size_t>& before(std::size_t index) const { return before_[index]; }
  // The resources of before(index) on which `index` lies.
  const std::vector<std::size_t>& beneath(std::size_t index) const { return beneath_[index]; }
  // The pairs of before(index) and `index` that exist for the order alone.
  bool has_order() const { return !for_order_.empty(); }
  bool is_for_order(std::size_t before, std::size_t index) const {
    return for_order_.contains({before, index});
  }
  // Every edge reversed, for an undo: a prerequisite comes after the resources that needed it.
  ResourceIndex reversed() const;
  bool is_reversed() const { return is_reversed_; }
  // Prerequisites first. Empty if there is a cycle.
  const std::vector<std::size_t>& order() const { return order_; }
  // The resources of a shortest cycle, each before the next; empty if there is none.
  const std::vector<std::size_t>& cycle() const { return cycle_; }

 private:
  std::vector<const Resource*> resources_;
  std::vector<std::vector<std::size_t>> before_, beneath_;
  std::set<std::pair<std::size_t, std::size_t>> for_order_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> cycle_;
  bool is_reversed_ = false;
};

// Withholds every change that can't be planned for a reason of its own resource: an attribute is
// unknown, or the resource is only observed.
void judge_by_itself(Candidates& candidates);

// Where an attribute can't be read before a package of this plan is installed, every change except
// those of packages gets the reason that it is planned in the next round. That holds on all nodes
// alike, so that no node is changed without the others. Returns what this plan does for the next
// round, "mstflint on pve[1-3]"; "" = there is no next round. REQUIRES: judge_by_itself() was
// called.
std::string leave_for_next_round(Candidates& candidates);
// The same for attributes that can be read only after the boots of this plan: only changes that
// need them are planned in the next round. Returns what this plan does for it, "the boot of
// n[1-3]". REQUIRES: the boots are chosen.
std::string leave_for_boots(Candidates& candidates, const std::set<NodeName>& reboots);

// Gives a reason to every change that must come after a withheld change or is part of one.
// REQUIRES: no cycle. Returns true if there was such a change.
bool block_dependants(Candidates& candidates, const ResourceIndex& resources);

// The planned candidate of each resource, or null. Both are in order of address.
std::vector<const Candidate*> planned_by_index(
    const Candidates& candidates, const ResourceIndex& resources);

// For each resource: the planned resources that it waits for, directly or through resources that
// need no action of their own before a boot.
std::vector<std::vector<std::size_t>> prerequisites(
    const ResourceIndex& resources, const std::vector<const Candidate*>& planned);

// Work of node `before` that work of node `after` waits for, because a resource of `after` comes
// after a resource of `before`. Sorted; each pair of nodes once.
struct NodeEdge {
  NodeName before, after;
  std::size_t resource = 0;      // of `after`, as an index of ResourceIndex
  std::size_t prerequisite = 0;  // of `before`
};
struct NodeOrder {
  std::vector<NodeEdge> edges;
  // For work that is done apart from the rest of its node: the nodes that it waits for. The work is
  // in the first wave after all of these. A manager that is restarted disturbs no node, and is
  // changed before the IPoIB of all nodes or after it, also before or after that of its own node.
  std::map<ResourceAddress, std::set<NodeName>> apart{};
};
// `reboots`: the nodes whose work is one block.
NodeOrder node_order(
    const Candidates& candidates,
    const ResourceIndex& resources,
    const std::set<NodeName>& reboots);
// A shortest cycle of nodes that wait for each other, each edge before the next; empty if there is
// none.
std::vector<NodeEdge> cycle_of(const std::vector<NodeEdge>& edges);

// Desired against observed, attribute by attribute, layer by layer.
// The resources that differ, in order of address, without those that only `verify` checks. An
// attribute is right when every layer it has is known and equal. The change has the kind unknown
// (never planned, always shown) for a resource of an unreachable node, and for an attribute whose
// layer is unknown where only this layer could tell the value. An unknown running value beside a
// next-boot layer is a change: activation is owed (I13).
std::vector<Change> diff(
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    const Registry& registry);

}  // namespace fabric::plans
