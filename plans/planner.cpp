// SPDX-License-Identifier: Apache-2.0
#include "plans/planner.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/parallel.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/edges.hpp"
#include "plans/health_gates.hpp"
#include "plans/impact.hpp"
#include "plans/interruption/left_for_boot.hpp"
#include "plans/plan_check.hpp"
#include "plans/plan_file.hpp"
#include "plans/plan_nodes.hpp"
#include "plans/refusal.hpp"
#include "plans/selection.hpp"
#include "plans/undo.hpp"
#include "plans/undo_stays.hpp"
#include "plans/waves.hpp"

namespace fabric::plans {

namespace {

// The number of times the plan makes another manager take over a subnet.

constexpr const char* kManagerKind = "subnet_manager";
constexpr const char* kMaster = "master";

bool is_master(const ResourceAddress& manager, const discovery::Snapshot& snapshot) {
  const auto node = snapshot.nodes.find(manager.node);
  if (node == snapshot.nodes.end()) return false;
  const auto observed = node->second.observations.find(manager);
  if (observed == node->second.observations.end()) return false;
  const auto state = observed->second.attributes.find("state");
  return state != observed->second.attributes.end() && state->second.running &&
         state->second.running->equals(kMaster);
}

// "ib" of "ib.cx5.1": a manager that is to go shows its network only in its name.
std::string network_of(const Resource& manager) {
  const std::string& name = manager.address.name;
  const std::size_t port = name.rfind('.');
  return port == std::string::npos || port == 0 ? name : name.substr(0, name.rfind('.', port - 1));
}

bool ends_manager(const Action& action, const ResourceAddress& manager) {
  if (action.draft.kind == methods::kReboot) return action.node == manager.node;
  const auto& covers = action.covers;
  return (action.draft.kind == methods::kManagerStop ||
          action.draft.kind == methods::kManagerStart) &&
         std::ranges::find(covers, manager) != covers.end();
}

// The actions that end or restart the OpenSM that is master now, boots of its node among them,
// where the subnet's network has another manager.
std::uint32_t manager_moves(
    const std::vector<Action>& actions,
    const ResourceIndex& resources,
    const discovery::Snapshot& snapshot) {
  std::map<std::string, std::uint32_t> managers_of;
  std::vector<const Resource*> masters;
  for (std::size_t index = 0; index < resources.size(); ++index) {
    const Resource& resource = resources.at(index);
    if (resource.address.kind != kManagerKind) continue;
    ++managers_of[network_of(resource)];
    if (is_master(resource.address, snapshot)) masters.push_back(&resource);
  }
  std::uint32_t moves = 0;
  for (const Resource* master : masters) {
    if (managers_of.at(network_of(*master)) < 2) continue;
    moves += static_cast<std::uint32_t>(std::ranges::count_if(
        actions, [&](const Action& action) { return ends_manager(action, master->address); }));
  }
  return moves;
}

constexpr RuleInfo kPlannerRules[] = {
    {"plan-cycle",
     Severity::error,
     RuleStage::plan,
     "Resources depend on each other in a circle, or nodes wait for each other's reboot. No "
     "order of changes satisfies that.",
     "E-order: nmstate; linux-system-roles",
     "Break the circle at one of the lines shown."},
    {"paths-lost",
     Severity::error,
     RuleStage::plan,
     "A wave cuts every path between two nodes that it does not touch, and the document says "
     "`rollout: {paths_lost: refuse}`. Where both ports of a host are in one subnet, request and "
     "answer may go different ways round the ring, and one node that is down cuts many of them.",
     "E-linux-equal-routes: of two equal routes the first wins; E-chain-dmac",
     "Let fewer nodes go down at once, or let the plan ask: `rollout: {paths_lost: ask}`."},
    {"redundancy-lost",
     Severity::error,
     RuleStage::plan,
     "During a wave a host would depend on one cable, switch or host on which it does not depend "
     "now, and the document says `rollout: {redundancy: keep}`: one failure meanwhile would cut it "
     "off.",
     "E-grammar: docs/document.md",
     "Move its jobs away first, or write `rollout: {redundancy: report}`."},
};

SourceLine line_of(const SourceMap& sources, const SourceRange& range) {
  if (!is_known(range)) return {};
  const Position position = sources.position(range.file, range.begin);
  return {sources.path(range.file), position.line, position.column};
}

Permission permission(
    std::vector<std::string> nodes, const std::vector<Sourced<std::string>>& document) {
  Permission permission{.nodes = std::move(nodes)};
  std::ranges::copy_if(
      permission.nodes,
      std::back_inserter(permission.granted),
      [&document](const std::string& node) {
        return std::ranges::any_of(document, [&](const auto& each) { return each.value == node; });
      });
  return permission;
}

// The intermediate results of make_plan on its way to the actions.
class Planning {
 public:
  Planning(const PlanInputs& inputs, Diagnostics& diagnostics)
      : inputs_{inputs},
        diagnostics_{diagnostics},
        apart_{rings(inputs.spec), manager_groups(inputs.spec), switch_ties(inputs.spec)},
        down_{down_nodes(inputs)},
        own_{own_node(inputs)} {
    rollout_.max_unavailable = inputs.spec.rollout.max_unavailable.value;
    rollout_.domains = FailureDomains{inputs.spec};
    for (const auto& canary : inputs.spec.rollout.canary)
      rollout_.canary.push_back(canary.value);
  }

  Plan run() && {
    Plan plan;
    plan.fabric = inputs_.spec.name.value;
    plan.inputs = inputs_.files;
    plan.orphans = inputs_.orphans;
    plan.bindings = inputs_.bindings;
    plan.stage = inputs_.stage;
    plan.limit = inputs_.limit;
    plan.nodes = plan_nodes(inputs_);
    find_candidates(plan);
    name_nodes(inputs_, plan, diagnostics_);
    refuse_missing(inputs_.resources, inputs_.registry, diagnostics_);
    not_forwarding_ = not_forwarding(inputs_.spec, inputs_.snapshot);
    if (no_cycle()) {
      work_ = choose_work(
          candidates_,
          {.resources = resources_,
           .snapshot = inputs_.snapshot,
           .registry = inputs_.registry,
           .apart = apart_,
           .rollout = rollout_,
           .rollout_range = inputs_.spec.rollout.range,
           .stage = inputs_.stage,
           .down = down_,
           .own = own_,
           .not_forwarding = not_forwarding_,
           .keep_paths = policy() == PathsLost::refuse ? &inputs_.paths : nullptr},
          diagnostics_);
      plan.next_round = work_.next_round;
      const RolloutSpec& rollout = inputs_.spec.rollout;
      plan.permissions.no_rollback = permission(
          refuse_incapable(candidates_, {inputs_.snapshot, inputs_.registry}, diagnostics_),
          rollout.allow_no_rollback);
      warn(plan);
      name_left_for_boot(
          work_.reboots, inputs_.resources, inputs_.snapshot, inputs_.registry, diagnostics_);
      std::vector<std::string> touched;
      for (const NodeName& node :
           touched_management_paths(candidates_, inputs_.snapshot, diagnostics_))
        touched.push_back(node.str());
      if (inputs_.undone != nullptr) {
        add_former_paths(touched);
        const UndoInputs undo{*inputs_.undone, inputs_.resources, inputs_.snapshot};
        name_ended_by_boots(undo, work_.reboots, diagnostics_);
        name_unread(undo, candidates_, diagnostics_);
        if (plan.backwards) tell_document();
      }
      plan.permissions.management_path = permission(std::move(touched), rollout.allow_mgmt_path);
      make_graph(plan);
    }
    if (diagnostics_.has_errors()) {
      plan.actions.clear();
      plan.waves.clear();
      withhold_all();
    }
    describe(plan);
    const std::string contradiction = find_contradiction(plan);
    FABRIC_CHECK(contradiction.empty(), contradiction.c_str());
    plan.digest = plan_digest(plan);
    return plan;
  }

 private:
  void find_candidates(Plan& plan) {
    if (inputs_.undone != nullptr) {
      Undoing undoing = undo({*inputs_.undone, inputs_.resources, inputs_.snapshot}, diagnostics_);
      plan.undoes = inputs_.undone->run;
      plan.backwards = !inputs_.undone->plan.backwards;
      resources_ = ResourceIndex{inputs_.resources, carrier_order(inputs_.spec, undoing.forwards)};
      if (plan.backwards) resources_ = resources_.reversed();
      candidates_ = std::move(undoing.candidates);
      add_owed_hooks();
      return;
    }
    std::vector<Change> changes = diff(inputs_.resources, inputs_.snapshot, inputs_.registry);
    resources_ = ResourceIndex{inputs_.resources, carrier_order(inputs_.spec, changes)};
    candidates_.reserve(changes.size());
    for (Change& change : changes)
      candidates_.push_back({.change = std::move(change), .withheld = {}, .drafts = {}});
  }

  // An earlier run that died may have drained nodes; the next run ends these drains.
  void add_owed_hooks() {
    std::vector<Resource> drains;
    for (const Resource& resource : inputs_.resources)
      if (resource.address.kind == kinds::kDrain) drains.push_back(resource);
    for (Change& change : diff(drains, inputs_.snapshot, inputs_.registry))
      candidates_.push_back({.change = std::move(change), .withheld = {}, .drafts = {}});
    std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
      return a.address() < b.address();
    });
  }

  // "fabric.yaml:12" for messages.
  std::string place(const SourceRange& range) const {
    const SourceLine line = line_of(inputs_.sources, range);
    return line.file.empty() ? "no line of the document"
                             : fmt::format("{}:{}", line.file, line.line);
  }

  // The nodes' output and the observations are a third of the memory that a large plan needs. Only
  // virtual machines that hold functions and subnet managers are read after this.
  void drop_spent() const {
    if (inputs_.spent == nullptr) return;
    std::vector<discovery::ObservedNode*> nodes;
    nodes.reserve(inputs_.spent->nodes.size());
    for (auto& [name, node] : inputs_.spent->nodes)
      nodes.push_back(&node);
    for_each_index(nodes.size(), [&nodes](std::size_t index) {
      nodes[index]->facts.probes.clear();
      std::erase_if(nodes[index]->observations, [](const auto& observed) {
        return observed.first.kind != kinds::kDrain && observed.first.kind != kinds::kSubnetManager;
      });
    });
  }

  bool no_cycle() {
    const std::vector<std::size_t>& cycle = resources_.cycle();
    if (cycle.empty()) return true;
    std::string path;
    for (const std::size_t index : cycle)
      path += resources_.at(index).address.str() + " -> ";
    const Resource& first = resources_.at(cycle.front());
    Diagnostic& diagnostic = diagnostics_.error(
        "plan-cycle", first.origin, "resources wait for each other: " + path + first.address.str());
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const Resource& after = resources_.at(cycle[(i + 1) % cycle.size()]);
      diagnostic.with_note(after.origin, waits_text(after, resources_.at(cycle[i])));
    }
    return false;
  }

  std::string waits_text(const Resource& after, const Resource& before) const {
    return fmt::format(
        "{} ({}) comes after {} ({})",
        after.address.str(),
        place(after.origin),
        before.address.str(),
        place(before.origin));
  }

  void warn(const Plan& plan) {
    for (const std::set<NodeName>* nodes : {&work_.disturbed, &work_.undisturbed}) {
      for (const NodeName& node : *nodes) {
        if (!plan.nodes.at(node).machine_id.empty()) continue;
        const About about{diagnostics_, node};
        diagnostics_.warning(
            "identity-missing",
            {},
            fmt::format(
                "{}: no machine id could be read, so apply can't tell whether the machine is "
                "still the same",
                node.str()));
      }
    }
  }

  // Names the lines of the document that ask for what is undone, each with its keys.
  void tell_document() {
    std::map<std::pair<std::string, std::uint32_t>, std::set<std::string>> lines;
    SourceRange first;
    for (const Candidate& candidate : candidates_) {
      for (const AttributeChange& each : candidate.change.attributes) {
        const SourceLine line = line_of(inputs_.sources, each.source);
        if (!candidate.planned() || line.file.empty()) continue;
        const auto [place, is_new] = lines.try_emplace({line.file, line.line});
        place->second.insert(each.attribute);
        if (is_new && place == lines.begin()) first = each.source;
      }
    }
    if (lines.empty()) return;
    std::vector<std::string> texts;
    for (const auto& [line, keys] : lines)
      texts.push_back(fmt::format("{}:{} ({})", line.first, line.second, fmt::join(keys, ", ")));
    diagnostics_
        .info(
            "undo-document",
            first,
            fmt::format(
                "the document still asks for the changes that are undone, so its next plan makes "
                "them again: {}",
                fmt::join(texts, "; ")))
        .with_help("revert these lines if the changes must not come back");
  }

  // The run went by the path of the session, and so does the way back.
  void add_former_paths(std::vector<std::string>& touched) const {
    for (const std::string& node : inputs_.undone->plan.permissions.management_path.nodes) {
      const bool works = std::ranges::any_of(candidates_, [&](const auto& each) {
        return !each.drafts.empty() && each.address().node.str() == node;
      });
      if (works && std::ranges::find(touched, node) == touched.end()) touched.push_back(node);
    }
    std::sort(touched.begin(), touched.end());
  }

  void make_graph(Plan& plan) {
    if (diagnostics_.has_errors()) return;
    const NodeOrder order = node_order(candidates_, resources_, work_.reboots);
    if (!nodes_in_order(order.edges)) return;
    WaveInputs wave_inputs{work_.disturbed, down_, work_.undisturbed, {}, own_};
    wave_inputs.behind =
        hosts_behind(disturbed(), inputs_.resources, work_.reboots, inputs_.spec, down_);
    std::set<NodeName> behind;
    for (const auto& [node, hosts] : wave_inputs.behind)
      behind.insert(hosts.begin(), hosts.end());
    for (const NodeName& host : behind)
      plan.impact.behind_switches.push_back(host.str());
    for (const NodeEdge& edge : order.edges)
      wave_inputs.precedence.emplace(edge.before, edge.after);
    WavePlan waves = assign_waves(wave_inputs, apart_, rollout_);
    for (const auto& [address, nodes] : order.apart) {
      std::uint32_t& wave = waves.wave_apart[address];
      for (const NodeName& node : nodes)
        wave = std::max(wave, waves.wave_of.at(node));
    }
    const std::vector<const Resource*> live =
        live_resources(candidates_, resources_, inputs_.snapshot);
    drop_spent();
    plan.actions = make_actions(
        {candidates_,
         resources_,
         work_.reboots,
         apart_,
         waves,
         inputs_.spec.rollout,
         live,
         inputs_.registry,
         wave_inputs.behind});
    plan.waves = std::move(waves.waves);
    tell_subnet_traffic(candidates_, resources_, inputs_.snapshot, inputs_.spec, plan);
    if (inputs_.stage) tell_addresses_at_boot(plan.impact);
    judge_paths(plan);
    judge_redundancy(plan);
    for (Candidate& candidate : candidates_)
      std::vector<ActionDraft>{}.swap(candidate.drafts);  // the actions have them now
    warn_of_held_machines(plan.actions, resources_, inputs_.snapshot, diagnostics_);
  }

  // A staged plan brings no address into force before the boot.
  void tell_addresses_at_boot(Impact& impact) const {
    std::set<std::string> nodes;
    for (const Candidate& candidate : candidates_) {
      if (candidate.change.activates("addresses") && !candidate.drafts.empty())
        nodes.insert(candidate.address().node.str());
    }
    impact.addresses_at_boot = {nodes.begin(), nodes.end()};
  }

  PathsLost policy() const { return inputs_.spec.rollout.paths_lost.value; }

  // Nodes that are away together may take more paths than each alone, which held_by_paths() has
  // judged.
  void judge_paths(Plan& plan) {
    std::vector<PathsLostInWave>& all = plan.impact.paths_lost;
    for (PathsLostInWave& lost : paths_lost(inputs_.paths, away_by_wave(plan.actions)))
      all.push_back(std::move(lost));
    std::ranges::stable_sort(all, [](const auto& one, const auto& other) {
      return std::tie(one.wave, one.network) < std::tie(other.wave, other.network);
    });
    for (const PathsLostInWave& lost : plan.impact.paths_lost) {
      if (lost.apart.empty() && !lost.is_unjudged()) continue;
      plan.impact.asks_for_paths = policy() == PathsLost::ask;
      // Where the paths are unknown, held_by_paths() has withheld the nodes.
      if (policy() != PathsLost::refuse || lost.apart.empty()) continue;
      diagnostics_
          .error(
              "paths-lost",
              inputs_.spec.rollout.paths_lost.range,
              fmt::format(
                  "{}, {} and {} have no path left in network {}",
                  lost.by_partitions()
                      ? "when the members of partitions change"
                      : fmt::format("while {} are down in wave {}", fold(lost.away), lost.wave),
                  lost.apart.front().first.str(),
                  lost.apart.front().second.str(),
                  lost.network))
          .with_help(
              lost.by_partitions()
                  ? "leave the two in one partition, or write `rollout: {paths_lost: ask}`"
                  : "lower `rollout.max_unavailable`, or write `rollout: {paths_lost: ask}`");
    }
  }

  void judge_redundancy(Plan& plan) {
    SingleInputs inputs{inputs_.spec, down_.unreached, down_.offline};
    inputs.down.insert(down_.offline.begin(), down_.offline.end());
    for (const auto& [network, node] : not_forwarding_)
      inputs.idle.insert(network);
    plan.impact.single = single(inputs, away_by_wave(plan.actions));
    if (inputs_.spec.rollout.redundancy.value != Redundancy::keep) return;
    for (const SingleInWave& wave : plan.impact.single.waves) {
      diagnostics_
          .error(
              "redundancy-lost",
              inputs_.spec.rollout.redundancy.range,
              wave.hosts.empty()
                  ? fmt::format(
                        "while {} are down in wave {}, it is not known which hosts depend on one "
                        "thing in network {}: the network is too large",
                        fold(wave.away),
                        wave.wave,
                        wave.network)
                  : fmt::format(
                        "while {} {} down in wave {}, {} of network {} depend{} on one thing: {}",
                        fold(wave.away),
                        wave.away.size() == 1 ? "is" : "are",
                        wave.wave,
                        fold(wave.hosts),
                        wave.network,
                        wave.hosts.size() == 1 ? "s" : "",
                        wave.example))
          .with_help("move their jobs away first, or write `rollout: {redundancy: report}`");
    }
  }

  std::set<ResourceAddress> disturbed() const {
    std::set<ResourceAddress> found;
    for (const Candidate& candidate : candidates_) {
      for (const ActionDraft& draft : candidate.drafts)
        if (draft.disruption >= Disruption::link) found.insert(candidate.address());
    }
    return found;
  }

  // Resources may be in order and their nodes still wait for each other, because a node's work is
  // one block around its reboot.
  bool nodes_in_order(const std::vector<NodeEdge>& edges) {
    const std::vector<NodeEdge> cycle = cycle_of(edges);
    if (cycle.empty()) return true;
    Diagnostic diagnostic;
    diagnostic.rule = "plan-cycle";
    diagnostic.range = resources_.at(cycle.front().resource).origin;
    for (const NodeEdge& edge : cycle) {
      const Resource& after = resources_.at(edge.resource);
      diagnostic.message += edge.before.str() + " -> ";
      diagnostic.with_note(after.origin, waits_text(after, resources_.at(edge.prerequisite)));
    }
    diagnostic.message += cycle.back().after.str();
    diagnostic.message = "nodes wait for each other's reboots: " + diagnostic.message;
    diagnostics_.add(std::move(diagnostic));
    return false;
  }

  void withhold_all() {
    for (Candidate& candidate : candidates_) {
      if (candidate.planned()) candidate.withheld = Withheld{.why = Withheld::Why::errors};
    }
  }

  // The part that people read: the changes, the impact, the counts, the warnings. The candidates
  // end in it.
  void describe(Plan& plan) {
    for (const auto& [name, withheld] : work_.withheld)
      plan.nodes.at(name).withheld = withheld;
    std::size_t changes = 0;
    for (const Candidate& candidate : candidates_)
      changes += candidate.change.attributes.size();
    plan.changes.reserve(changes);
    // One container is freed before the next is made: all of them twice would be the peak of
    // memory.
    for (Candidate& each : candidates_) {
      Candidate candidate = std::move(each);
      count(candidate, plan.summary);
      for (AttributeChange& attribute : candidate.change.attributes) {
        SourceLine source = line_of(inputs_.sources, attribute.source);
        plan.changes.push_back(
            {candidate.address(),
             candidate.change.kind,
             std::move(attribute),
             std::move(source),
             candidate.withheld});
      }
    }
    Candidates{}.swap(candidates_);
    for (const Action& action : plan.actions) {
      const bool reboot = action.draft.kind == methods::kReboot;
      if (reboot) {
        ++plan.impact.reboots;
      } else if (action.draft.disruption >= Disruption::link) {
        ++plan.impact.link_flaps;
      }
      if (!reboot && action.draft.by_hand.empty() && !action.draft.irreversible.empty()) {
        plan.impact.irreversible.push_back(action.draft.title);
      }
    }
    plan.impact.sm_moves = manager_moves(plan.actions, resources_, inputs_.snapshot);
    for (const Diagnostic& diagnostic : diagnostics_.items()) {
      if (diagnostic.severity == Severity::error) continue;
      plan.diagnostics.push_back(
          {diagnostic.severity,
           diagnostic.rule,
           diagnostic.message,
           diagnostic.help,
           line_of(inputs_.sources, diagnostic.range),
           diagnostic.subject});
    }
  }

  static void count(const Candidate& candidate, Summary& summary) {
    const ChangeKind kind = candidate.change.kind;
    if (kind == ChangeKind::unknown) {
      ++summary.unknown;
    } else if (!candidate.planned()) {
      ++summary.withheld;
    } else if (kind == ChangeKind::add) {
      ++summary.add;
    } else {
      ++(kind == ChangeKind::remove ? summary.remove : summary.change);
    }
  }

  const PlanInputs& inputs_;
  Diagnostics& diagnostics_;
  ResourceIndex resources_;
  AntiAffinity apart_;
  Down down_;
  std::optional<NodeName> own_;
  Rollout rollout_;
  Candidates candidates_;
  NotForwarding not_forwarding_;
  ChosenWork work_;
};

}  // namespace

RuleRows planner_rules() {
  return kPlannerRules;
}

Plan make_plan(const PlanInputs& inputs, Diagnostics& diagnostics) {
  return Planning{inputs, diagnostics}.run();
}

}  // namespace fabric::plans
