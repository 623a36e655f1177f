// SPDX-License-Identifier: Apache-2.0
#include "plans/edges.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/parallel.hpp"
#include "engine/graph/dag.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/disruption_hooks.hpp"
#include "plans/health_gates.hpp"
#include "plans/hooks.hpp"
#include "plans/reboots.hpp"
#include "plans/shared_activation.hpp"

namespace fabric::plans {

namespace {

// True if the running MTU is larger than the wanted one.
bool lowers_mtu(const Change& change) {
  for (const AttributeChange& attribute : change.attributes) {
    if (attribute.attribute != "mtu" || !attribute.activate || !attribute.observed.running)
      continue;
    const Value* running = attribute.observed.running->value();
    const std::int64_t* now = running == nullptr ? nullptr : running->as_integer();
    const std::int64_t* wanted = attribute.desired.as_integer();
    return now != nullptr && wanted != nullptr && *now > *wanted;
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
    std::sort(ids.begin(), ids.end(), [](const std::string& a, const std::string& b) {
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
    action.covers = {address};
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

  // An action that a sequence of boots needs in the middle of its work.
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

  // The whole covers a part that leaves its work to it, as a bond does for its slaves.
  void cover_parts() {
    std::map<ResourceAddress, std::vector<ResourceAddress>> parts;
    for (const Candidate* candidate : planned_) {
      if (candidate == nullptr || !candidate->drafts.empty()) continue;
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
      const std::vector<std::size_t>& beneath = inputs_.resources.beneath(index);
      for (const std::size_t before : needed[index]) {
        if (std::find(beneath.begin(), beneath.end(), before) == beneath.end())
          connect(before, index, *start);
      }
    }
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
  // of the lower one.
  void connect_stack(std::size_t lower, std::size_t upper) {
    keep_order(prepared_[lower].last, prepared_[upper].first);
    keep_order(prepared_[lower].last, activated_[upper].first);
    keep_order(prepared_[upper].last, activated_[lower].first);
    if (lowers_mtu(planned_[lower]->change) && lowers_mtu(planned_[upper]->change)) {
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

  // A person is asked after all other work on every node that the work takes, because a person
  // holds the node while it waits for them.
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
    std::stable_sort(rank.begin(), rank.end(), [this](Vertex a, Vertex b) {
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
