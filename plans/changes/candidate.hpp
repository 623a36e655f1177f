// SPDX-License-Identifier: Apache-2.0
// Candidate: a change on its way into the plan. It either gets work or a reason why it has none.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/provider/change.hpp"
#include "engine/provider/registry.hpp"
#include "plans/changes/order.hpp"
#include "plans/changes/withheld.hpp"

namespace fabric::plans {

struct Candidate {
  Change change;
  std::optional<Withheld> withheld;  // nullopt = planned
  std::vector<ActionDraft> drafts;   // what its provider wants done; empty unless planned
  // What the planned boot does in their place and can cut the node off by, or disturbs; and how
  // that is rolled back, if it can be.
  std::vector<ActionDraft> done_by_boot{};

  const ResourceAddress& address() const { return change.resource.address; }
  bool planned() const { return !withheld; }
  void withhold(Withheld why) {
    withheld = std::move(why);
    drafts.clear();
  }
  // A person does it, when all else on its node is done.
  bool by_hand() const { return !drafts.empty() && !drafts.front().by_hand.empty(); }
};

// In order of address.
using Candidates = std::vector<Candidate>;

// The draft of an action, moved out of its candidate: the work of a large fabric is not in memory
// twice. What a boot asks of the draft afterwards stays behind, and whether a person does it.
ActionDraft take_draft(ActionDraft& draft);

// Resources of a document by address, with their edges taken along in both directions.
class ResourceIndex {
 public:
  ResourceIndex() = default;
  // `resources` must outlive this. What `order` says is left out if it makes a cycle.
  explicit ResourceIndex(const std::vector<Resource>& resources, const Order& order = {});
  std::size_t size() const { return resources_.size(); }
  const Resource& at(std::size_t index) const { return *resources_[index]; }
  // Indices of what resource `index` must come after; names that the document lacks (a plan
  // limited to some nodes) are left out.
  const std::vector<std::size_t>& before(std::size_t index) const { return before_[index]; }
  // Those of before(index) on which it lies.
  const std::vector<std::size_t>& beneath(std::size_t index) const { return beneath_[index]; }
  // Pairs of before(index) and `index` that are there for the order alone.
  bool has_order() const { return !for_order_.empty(); }
  bool is_for_order(std::size_t before, std::size_t index) const {
    return for_order_.contains({before, index});
  }
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
};

// Gives a reason to every change that nothing can or may be done about by its own nature: it is
// unknown, or only observed.
void judge_by_itself(Candidates& candidates);

// Where something can't be read before a package of this plan is there: every change but those of
// packages gets the reason that it is planned next, on all nodes alike, so that none of them is
// changed without the others. What this plan does for it, "mstflint on pve[1-3]"; "" = this plan is
// all there is to do. REQUIRES: judge_by_itself() was called.
std::string leave_for_next_round(Candidates& candidates);
// The same of what can be read only after the boots of this plan: those changes alone are planned
// next. What this plan does for it, "the boot of n[1-3]". REQUIRES: the boots are chosen.
std::string leave_for_boots(Candidates& candidates, const std::set<NodeName>& reboots);

// Gives a reason to every change that must come after one that is not planned, or is part of one.
// REQUIRES: no cycle. True if there was one.
bool block_dependants(Candidates& candidates, const ResourceIndex& resources);

// The planned candidate of each resource, or null. Both are in order of address.
std::vector<const Candidate*> planned_by_index(
    const Candidates& candidates, const ResourceIndex& resources);

// Of each resource: the planned resources that it waits for, directly or through resources that
// need no action of their own before a boot.
std::vector<std::vector<std::size_t>> prerequisites(
    const ResourceIndex& resources, const std::vector<const Candidate*>& planned);

// (before, after, place of the edge): work of one node that waits for work of another, because a
// resource comes after a resource. In order, each pair of nodes once.
struct NodeEdge {
  NodeName before, after;
  std::size_t resource = 0;      // of `after`, as an index of ResourceIndex
  std::size_t prerequisite = 0;  // of `before`
};
struct NodeOrder {
  std::vector<NodeEdge> edges;
  // Of what is done apart from the rest of its node, in the wave in which all that it waits for is
  // done: nodes that it waits for. A manager that is started anew disturbs nobody, and is changed
  // before the IPoIB of all nodes or after it: also of its own.
  std::map<ResourceAddress, std::set<NodeName>> apart{};
};
// `reboots`: what is done on these is one block.
NodeOrder node_order(
    const Candidates& candidates,
    const ResourceIndex& resources,
    const std::set<NodeName>& reboots);
// A shortest cycle of nodes that wait for each other, each edge before the next; empty: none.
std::vector<NodeEdge> cycle_of(const std::vector<NodeEdge>& edges);

}  // namespace fabric::plans
