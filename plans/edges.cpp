// SPDX-License-Identifier: Apache-2.0
#include "plans/edges.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/parallel.hpp"
#include "engine/graph/dag.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "plans/health_gates.hpp"
#include "plans/reboots.hpp"

namespace fabric::plans {

namespace {

// Shared activation: one action that activates, once for its node, what several resources have set
// there, as one revision of a switch does.

template <class Each>
void add_missing(std::vector<Each>& all, const std::vector<Each>& more) {
  for (const Each& each : more)
    if (std::ranges::find(all, each) == all.end()) all.push_back(each);
}

template <class Each>
void add_all(std::vector<Each>& all, const std::vector<Each>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// Adds the conditions of `more` that no former condition of the same action brings about.
void add_conditions(ActionDraft& whole, const ActionDraft& more) {
  for (const Condition& each : more.preconditions) {
    const auto& brought = whole.postconditions;
    if (std::ranges::find(brought, each) == brought.end()) whole.preconditions.push_back(each);
  }
  add_all(whole.postconditions, more.postconditions);
  add_all(whole.file_preconditions, more.file_preconditions);
  add_all(whole.after_boot, more.after_boot);
}

void join(ActionDraft& whole, const ActionDraft& more) {
  FABRIC_CHECK(
      more.by_hand.empty() && more.boots_in.empty() && whole.stage == more.stage,
      "an activation that can't be shared");
  whole.title += "; " + more.title;
  if (!whole.way_back.empty()) whole.way_back = more.way_back + "; " + whole.way_back;
  whole.disruption = std::max(whole.disruption, more.disruption);
  whole.steps = activated_together(whole.steps, more.steps, whole.activation);
  // The value that was set last is taken back first.
  whole.undo = activated_together(more.undo, whole.undo, whole.activation);
  whole.timeout = std::max(whole.timeout, more.timeout);
  whole.settles = std::max(whole.settles, more.settles);
  whole.once = whole.once || more.once;
  add_conditions(whole, more);
  if (whole.irreversible.empty()) whole.irreversible = more.irreversible;
  add_missing(whole.disturbs, more.disturbs);
  whole.may_cut_off = whole.may_cut_off || more.may_cut_off;
}

// Actions of different nodes never lie between two of one node: nodes wait for each other in order.
class Sharing {
 public:
  Sharing(std::vector<Action>& actions, Edges& needs, Edges& after)
      : actions_{actions},
        needs_{needs},
        after_{after},
        part_of_(actions.size()),
        parts_(actions.size()),
        later_(actions.size()) {
    for (Vertex vertex = 0; vertex < actions.size(); ++vertex) {
      part_of_[vertex] = vertex;
      parts_[vertex] = {vertex};
    }
    for (const Edges* edges : {&needs_, &after_}) {
      for (const auto& [before, later] : *edges)
        if (actions[before].node == actions[later].node) later_[before].push_back(later);
    }
  }

  // By former vertex: the vertex that now has its work.
  std::vector<Vertex> run() {
    for (const Vertex vertex : in_order()) {
      const Action& action = actions_[vertex];
      if (action.draft.activation.name.empty()) continue;
      auto& wholes = wholes_[{action.node, action.wave, action.draft.activation.name}];
      const auto whole =
          std::ranges::find_if(wholes, [&](Vertex each) { return may_join(each, vertex); });
      if (whole == wholes.end()) {
        wholes.push_back(vertex);
      } else {
        take_in(*whole, vertex);
      }
    }
    for (const auto& [key, wholes] : wholes_) {
      for (const Vertex whole : wholes) {
        ActionDraft& draft = actions_[whole].draft;
        for (std::string* title : {&draft.title, &draft.way_back})
          if (!title->empty()) *title = fmt::format("in {}: {}", std::get<2>(key), *title);
      }
    }
    return renumbered();
  }

 private:
  std::vector<Vertex> in_order() const {
    graph::Dag dag{actions_.size()};
    for (const Edges* edges : {&needs_, &after_}) {
      for (const auto& [before, later] : *edges)
        dag.add_edge(before, later);
    }
    const auto order = dag.topological_order();
    FABRIC_CHECK(order.has_value(), "actions wait for each other");
    return *order;
  }

  // An activation has no work of one resource twice, and no work that must come between the two.
  bool may_join(Vertex whole, Vertex more) const {
    for (const ResourceAddress& address : actions_[more].covers) {
      const auto& covers = actions_[whole].covers;
      if (std::ranges::find(covers, address) != covers.end()) return false;
    }
    return !leads_around(whole, more) && !leads_around(more, whole);
  }

  // True if another action lies between them.
  bool leads_around(Vertex from, Vertex to) const {
    std::set<Vertex> seen{from};
    std::vector<Vertex> left{from};
    while (!left.empty()) {
      const Vertex at = left.back();
      left.pop_back();
      for (const Vertex part : parts_[at]) {
        for (const Vertex later : later_[part]) {
          const Vertex whole = part_of_[later];
          if (whole == to && at != from) return true;
          if (whole != to && seen.insert(whole).second) left.push_back(whole);
        }
      }
    }
    return false;
  }

  void take_in(Vertex into, Vertex vertex) {
    Action& whole = actions_[into];
    const Action& more = actions_[vertex];
    join(whole.draft, more.draft);
    add_missing(whole.mutex, more.mutex);
    std::sort(whole.mutex.begin(), whole.mutex.end());
    whole.guard = std::max(whole.guard, more.guard);
    add_all(whole.covers, more.covers);
    part_of_[vertex] = into;
    parts_[into].push_back(vertex);
  }

  std::vector<Vertex> renumbered() {
    std::vector<Vertex> place(actions_.size());
    std::vector<Action> left;
    for (Vertex vertex = 0; vertex < actions_.size(); ++vertex) {
      if (part_of_[vertex] != vertex) continue;
      place[vertex] = left.size();
      left.push_back(std::move(actions_[vertex]));
    }
    actions_ = std::move(left);
    for (Vertex& vertex : part_of_)
      vertex = place[vertex];
    for (Edges* edges : {&needs_, &after_}) {
      Edges renumbered;
      for (const auto& [before, later] : *edges) {
        const std::pair<Vertex, Vertex> now{part_of_[before], part_of_[later]};
        if (now.first != now.second) renumbered.insert(now);
      }
      *edges = std::move(renumbered);
    }
    return std::move(part_of_);
  }

  std::vector<Action>& actions_;
  Edges& needs_;
  Edges& after_;
  std::vector<Vertex> part_of_;  // the action that has its work; itself, if no other took it in
  std::vector<std::vector<Vertex>> parts_, later_;  // the latter of the same node
  std::map<std::tuple<NodeName, std::uint32_t, std::string>, std::vector<Vertex>> wholes_;
};

// Joins the actions of one node and wave whose drafts name the same activation
// (ActionDraft::activation) into as few as their order allows, and renumbers the edges. Two actions
// for one resource stay apart: its provider wants the first in force before the second. Each of
// those actions, joined or not, is titled by its activation: "in one revision: ...".
// `needs` and `after` are without a cycle, before and after. `closes`: see HookGraph.
void share_activations(
    std::vector<Action>& actions, Edges& needs, Edges& after, std::map<Vertex, Vertex>& closes) {
  const bool any = std::ranges::any_of(
      actions, [](const Action& action) { return !action.draft.activation.name.empty(); });
  if (!any) return;
  const std::vector<Vertex> now = Sharing{actions, needs, after}.run();
  std::map<Vertex, Vertex> closing;
  for (const auto& [closer, opener] : closes)
    closing.emplace(now[closer], now[opener]);
  closes = std::move(closing);
}

// True if the running MTU is larger than the wanted one; with `raises`, if it is smaller.
bool turns_mtu(const Change& change, bool raises) {
  for (const AttributeChange& attribute : change.attributes) {
    if (attribute.attribute != "mtu" || !attribute.activate || !attribute.observed.running)
      continue;
    const Value* running = attribute.observed.running->value();
    const std::int64_t* now = running == nullptr ? nullptr : running->as_integer();
    const std::int64_t* wanted = attribute.desired.as_integer();
    return now != nullptr && wanted != nullptr && (raises ? *now < *wanted : *now > *wanted);
  }
  return false;
}

// The first and the last of a chain of actions; neither if there is none.
struct Span {
  std::optional<Vertex> first, last;
  void extend(Vertex vertex) {
    if (!first) first = vertex;
    last = vertex;
  }
};

class ActionGraph {
 public:
  explicit ActionGraph(const ActionInputs& inputs)
      : inputs_{inputs},
        planned_{planned_by_index(inputs.candidates, inputs.resources)},
        all_(inputs.resources.size()),
        prepared_(inputs.resources.size()),
        activated_(inputs.resources.size()) {
    add_drafts();
    cover_parts();
    save_last();
    add_reboots();
    connect_resources();
    connect_stacks();
    gates_ = add_gates(
        inputs_.live_resources,
        inputs_.rollout.confirm_timeout.value,
        {actions_, edges_, orders_, disturbing_, of_node_, inputs_.waves.wave_of});
    connect_anti_affinity();
    connect_by_hand();
    weave_hooks(
        inputs_.resources,
        {actions_,
         edges_,
         orders_,
         closers_,
         disturbing_,
         owed_,
         inputs_.behind,
         inputs_.registry});
    share_activations(actions_, edges_, orders_, closers_);
  }

  // In topological order, ties by wave, node and address.
  std::vector<Action> take() && {
    const std::vector<Vertex> rank = ranked();
    std::vector<std::size_t> rank_of(actions_.size());
    for (std::size_t i = 0; i < rank.size(); ++i)
      rank_of[rank[i]] = i;
    graph::Dag dag{actions_.size()};
    for (const auto* edges : {&edges_, &orders_}) {
      for (const auto& [before, after] : *edges)
        dag.add_edge(rank_of[before], rank_of[after]);
    }
    const auto order = dag.topological_order();
    FABRIC_CHECK(order.has_value(), "actions wait for each other");

    std::vector<std::string> id_of(actions_.size());
    for (std::size_t i = 0; i < order->size(); ++i)
      id_of[rank[(*order)[i]]] = fmt::format("a{:04}", i + 1);
    for (const auto& [before, after] : edges_)
      actions_[after].needs.push_back(id_of[before]);
    for (const auto& [before, after] : orders_)
      actions_[after].after.push_back(id_of[before]);
    for (const auto& [closer, opener] : closers_)
      actions_[closer].closes = id_of[opener];
    for (Vertex index = 0; index < actions_.size(); ++index) {
      actions_[index].id = std::move(id_of[index]);
      sort_ids(actions_[index].needs);
      sort_ids(actions_[index].after);
    }
    // Changes the actions in place: those of a large fabric take hundreds of megabytes.
    for (std::size_t place = 0; place < actions_.size(); ++place) {
      std::size_t from = rank[(*order)[place]];
      while (from < place)
        from = rank[(*order)[from]];
      if (from != place) std::swap(actions_[place], actions_[from]);
    }
    return std::move(actions_);
  }

 private:
  // a0002 before a10000.
  static void sort_ids(std::vector<std::string>& ids) {
    std::ranges::sort(ids, [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }

  Vertex add(Action action) {
    const auto apart = action.covers.empty() ? inputs_.waves.wave_apart.end()
                                             : inputs_.waves.wave_apart.find(action.covers.front());
    action.wave = apart == inputs_.waves.wave_apart.end() ? inputs_.waves.wave_of.at(action.node)
                                                          : apart->second;
    if (action.draft.disruption >= Disruption::traffic) {
      disturbing_[action.node].push_back(actions_.size());
      for (const AntiAffinity::Other& other : inputs_.apart.of(action.node))
        action.mutex.push_back(AntiAffinity::mutex(action.node, other));
      std::sort(action.mutex.begin(), action.mutex.end());
    }
    actions_.push_back(std::move(action));
    return actions_.size() - 1;
  }

  void add_drafts() {
    std::size_t count = inputs_.reboots.size();
    for (const Candidate* candidate : planned_) {
      if (candidate != nullptr) count += candidate->drafts.size();
    }
    actions_.reserve(count);
    for (std::size_t index = 0; index < planned_.size(); ++index) {
      if (planned_[index] == nullptr) continue;
      const auto place = planned_[index] - inputs_.candidates.data();
      for (ActionDraft& draft : inputs_.candidates[static_cast<std::size_t>(place)].drafts)
        add_draft(index, draft);
    }
  }

  void add_draft(std::size_t index, ActionDraft& draft) {
    const ResourceAddress& address = planned_[index]->address();
    if (draft.kind == methods::kConfigurationSave) return add_save(address, draft);
    const bool ends_drain = draft.kind == methods::kHookAfter;
    Action action{.node = address.node};
    action.draft = take_draft(draft);
    action.covers = std::move(action.draft.covers);
    if (action.covers.empty()) action.covers = {address};
    if (draft.may_cut_off && draft.stage == Stage::activate)
      action.guard = inputs_.rollout.confirm_timeout.value;
    const Vertex vertex = add(std::move(action));
    if (ends_drain) {
      owed_.emplace(address.node, vertex);
      return;
    }
    if (all_[index].last) edges_.emplace(*all_[index].last, vertex);
    all_[index].extend(vertex);
    // A resource is being activated from its first activation on.
    const bool prepares = draft.stage == Stage::prepare && !activated_[index].first;
    (prepares ? prepared_ : activated_)[index].extend(vertex);
    if (draft.by_hand.empty()) of_node_[address.node].push_back(vertex);
    if (!draft.boots_in.empty()) add_boot_within(*planned_[index], draft, index);
  }

  // An action that keeps everything that runs is done once, for all resources that ask for it.
  void add_save(const ResourceAddress& address, const ActionDraft& draft) {
    const auto known = saves_.find(address.node);
    if (known == saves_.end()) {
      Action action{.node = address.node};
      action.draft = draft;
      action.covers = {address};
      saves_.emplace(address.node, add(std::move(action)));
      return;
    }
    Action& save = actions_[known->second];
    save.covers.push_back(address);
    std::vector<Condition>& found = save.draft.postconditions;
    found.insert(found.end(), draft.postconditions.begin(), draft.postconditions.end());
  }

  // Comes after the rest of the work of its node: work that failed half-way is activated by the
  // next boot.
  void save_last() {
    for (const auto& [node, save] : saves_) {
      for (const Vertex before : of_node_[node]) {
        edges_.emplace(before, save);
        actions_[save].wave = std::max(actions_[save].wave, actions_[before].wave);
      }
      of_node_[node].push_back(save);
    }
  }

  // Adds the boot that a sequence of boots needs in the middle of its work.
  void add_boot_within(const Candidate& candidate, const ActionDraft& draft, std::size_t index) {
    const ResourceAddress& address = candidate.address();
    Action boot = boot_within(
        draft, address, inputs_.registry.host(candidate.change.resource.platform), inputs_.rollout);
    const Vertex vertex = add(std::move(boot));
    edges_.emplace(*all_[index].last, vertex);
    all_[index].extend(vertex);
    prepared_[index].extend(vertex);
    of_node_[address.node].push_back(vertex);
    sequences_[address.node] = draft.boots_in;
  }

  // A whole covers its parts that have no work of their own, as a bond does for its slaves.
  void cover_parts() {
    std::map<ResourceAddress, std::vector<ResourceAddress>> parts;
    for (const Candidate* candidate : planned_) {
      if (candidate == nullptr || !candidate->drafts.empty() || candidate->change.by_record)
        continue;
      if (const auto& whole = candidate->change.resource.part_of)
        parts[*whole].push_back(candidate->address());
    }
    for (std::size_t index = 0; index < planned_.size(); ++index) {
      if (planned_[index] == nullptr || !activated_[index].last) continue;
      const auto found = parts.find(planned_[index]->address());
      if (found == parts.end()) continue;
      std::vector<ResourceAddress>& covers = actions_[*activated_[index].last].covers;
      covers.insert(covers.end(), found->second.begin(), found->second.end());
    }
  }

  void add_reboots() {
    ChangesOfNode changes;
    for (const Candidate* candidate : planned_) {
      if (candidate == nullptr || candidate->by_hand()) continue;
      if (!inputs_.reboots.contains(candidate->address().node)) continue;
      if (candidate->address().kind == kinds::kDrain) continue;  // no boot ends it
      changes[candidate->address().node].push_back(&candidate->change);
    }
    for (auto& [node, boot] : reboot_actions(changes, inputs_.registry, inputs_.rollout)) {
      const Vertex vertex = add(std::move(boot));
      reboot_.emplace(node, vertex);
      for (const Vertex before : of_node_[node])
        edges_.emplace(before, vertex);
      if (const auto sequence = sequences_.find(node); sequence != sequences_.end())
        actions_[vertex].sequence = sequence->second;
    }
    follow_boots();
  }

  // For each node, in the order of the work: a name is rolled back before the interface that has
  // it.
  void follow_boots() {
    std::map<Vertex, std::vector<const Candidate*>> by_boot;
    for (const std::size_t index : inputs_.resources.order()) {
      if (planned_[index] == nullptr || planned_[index]->by_hand()) continue;
      const auto reboot = reboot_.find(planned_[index]->address().node);
      if (reboot != reboot_.end()) by_boot[reboot->second].push_back(planned_[index]);
    }
    const std::vector<std::pair<Vertex, std::vector<const Candidate*>>> boots{
        by_boot.begin(), by_boot.end()};
    for_each_index(boots.size(), [&](std::size_t index) {
      for (const Candidate* candidate : boots[index].second)
        follow_boot(*candidate, inputs_.rollout, actions_[boots[index].first]);
    });
    for (Candidate& candidate : inputs_.candidates)
      for (ActionDraft& draft : candidate.drafts)
        draft.undo = {};  // the boots have it
  }

  void connect_resources() {
    const auto needed = prerequisites(inputs_.resources, planned_);
    for (std::size_t index = 0; index < planned_.size(); ++index) {
      if (planned_[index] == nullptr || planned_[index]->by_hand()) continue;
      const std::optional<Vertex> start = all_[index].first ? all_[index].first : reboot_of(index);
      if (!start) continue;
      for (const std::size_t before : needed[index]) {
        if (!lies_on(index, before) && !lies_on(before, index)) connect(before, index, *start);
      }
    }
  }

  bool lies_on(std::size_t upper, std::size_t lower) const {
    const std::vector<std::size_t>& beneath = inputs_.resources.beneath(upper);
    return std::ranges::find(beneath, lower) != beneath.end();
  }

  void connect_stacks() {
    for (std::size_t upper = 0; upper < planned_.size(); ++upper) {
      if (planned_[upper] == nullptr) continue;
      for (const std::size_t lower : inputs_.resources.beneath(upper)) {
        if (planned_[lower] != nullptr) connect_stack(lower, upper);
      }
    }
  }

  // All files come first, from below, because activating either reads both. The activations follow
  // from below too, unless both lower their MTU: the MTU of the upper one must never be above that
  // of the lower one. An undo activates from above, unless both raise their MTU.
  void connect_stack(std::size_t lower, std::size_t upper) {
    const bool undoes = inputs_.resources.is_reversed();
    const bool turns =
        turns_mtu(planned_[lower]->change, undoes) && turns_mtu(planned_[upper]->change, undoes);
    if (undoes) {
      keep_order(prepared_[upper].last, prepared_[lower].first);
      keep_order(activated_[upper].last, prepared_[lower].first);
      keep_order(activated_[lower].last, prepared_[upper].first);
      if (!turns) std::swap(lower, upper);
      return keep_order(activated_[lower].last, activated_[upper].first);
    }
    keep_order(prepared_[lower].last, prepared_[upper].first);
    keep_order(prepared_[lower].last, activated_[upper].first);
    keep_order(prepared_[upper].last, activated_[lower].first);
    if (turns) {
      keep_order(activated_[upper].last, activated_[lower].first);
    } else {
      keep_order(activated_[lower].last, activated_[upper].first);
    }
  }

  void keep_order(std::optional<Vertex> before, std::optional<Vertex> after) {
    if (before && after) edges_.emplace(*before, *after);
  }

  void connect(std::size_t before, std::size_t after, Vertex start) {
    const std::optional<Vertex>& last = all_[before].last;
    if (last && *last != start) edges_.emplace(*last, start);
    // On its own node the boot comes last; a prerequisite on another node must be in force first.
    const bool same_node = planned_[before]->address().node == planned_[after]->address().node;
    const std::optional<Vertex> reboot = reboot_of(before);
    if (!same_node && reboot) edges_.emplace(*reboot, start);
  }

  std::optional<Vertex> reboot_of(std::size_t index) const {
    const auto found = reboot_.find(planned_[index]->address().node);
    if (found == reboot_.end()) return std::nullopt;
    return found->second;
  }

  void connect_anti_affinity() {
    for (const auto& [node, vertices] : disturbing_) {
      const std::uint32_t wave = inputs_.waves.wave_of.at(node);
      for (const AntiAffinity::Other& other : inputs_.apart.of(node)) {
        const auto found = disturbing_.find(other.node);
        if (found == disturbing_.end() || inputs_.waves.wave_of.at(other.node) >= wave) continue;
        const auto gate = gates_.find(other.node);
        for (const Vertex vertex : vertices) {
          for (const Vertex before : found->second)
            edges_.emplace(before, vertex);
          if (gate != gates_.end()) edges_.emplace(gate->second, vertex);
        }
      }
    }
  }

  // A person is asked after all other work on every node that their work waits for, because each of
  // these nodes stays held while it waits for a person.
  void connect_by_hand() {
    for (std::size_t index = 0; index < planned_.size(); ++index) {
      if (planned_[index] == nullptr || !planned_[index]->by_hand()) continue;
      std::set<NodeName> nodes{planned_[index]->address().node};
      for (const std::size_t before : inputs_.resources.before(index))
        nodes.insert(inputs_.resources.at(before).address.node);
      for (const NodeName& node : nodes)
        follow(node, *all_[index].first);
    }
  }

  // `vertex` comes after all work on the node in its wave.
  void follow(const NodeName& node, Vertex vertex) {
    std::vector<Vertex> before;
    if (const auto found = of_node_.find(node); found != of_node_.end()) before = found->second;
    if (const auto found = reboot_.find(node); found != reboot_.end())
      before.push_back(found->second);
    for (const Vertex each : before) {
      edges_.emplace(each, vertex);
      actions_[vertex].wave = std::max(actions_[vertex].wave, actions_[each].wave);
    }
  }

  std::vector<Vertex> ranked() const {
    std::vector<Vertex> rank(actions_.size());
    for (Vertex vertex = 0; vertex < rank.size(); ++vertex)
      rank[vertex] = vertex;
    // The vertices of one node are already in order of address, its reboot last.
    std::ranges::stable_sort(rank, [this](Vertex a, Vertex b) {
      return std::tie(actions_[a].wave, actions_[a].node) <
             std::tie(actions_[b].wave, actions_[b].node);
    });
    return rank;
  }

  const ActionInputs& inputs_;
  std::vector<const Candidate*> planned_;         // by resource
  std::vector<Span> all_, prepared_, activated_;  // actions of each resource
  std::map<NodeName, std::vector<Vertex>> of_node_, disturbing_;
  std::map<NodeName, Vertex> reboot_, gates_, saves_;
  std::vector<Action> actions_;
  std::map<NodeName, Vertex> owed_;            // an after_disruption hook that an earlier run owes
  std::map<Vertex, Vertex> closers_;           // the hook that each action ends
  std::map<NodeName, std::string> sequences_;  // of nodes that boot more than once
  Edges edges_;                                // needs
  Edges orders_;                               // after
};

}  // namespace

std::vector<Action> make_actions(const ActionInputs& inputs) {
  return ActionGraph{inputs}.take();
}

}  // namespace fabric::plans
