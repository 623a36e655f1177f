#include "plans/planner.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/discovery/identity.hpp"
#include "engine/graph/dag.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/model/spec_names.hpp"
#include "engine/provider/action_methods.hpp"
#include "plans/candidate.hpp"
#include "plans/differ.hpp"
#include "plans/edges.hpp"
#include "plans/health_gates.hpp"
#include "plans/management_path.hpp"
#include "plans/manager_moves.hpp"
#include "plans/plan_check.hpp"
#include "plans/plan_file.hpp"
#include "plans/reboots.hpp"
#include "plans/refusal.hpp"
#include "plans/selection.hpp"
#include "plans/waves.hpp"

namespace fabric::plans {

namespace {

constexpr RuleInfo kRules[] = {
    {"node-unreachable",
     Severity::warning,
     RuleStage::plan,
     "The node did not answer, so nothing is known of it and nothing is planned for it.",
     "E-unreachable: ansible issue 56265",
     "See the reason in the message; exit code 4 says that the result is incomplete."},
    {"plan-cycle",
     Severity::error,
     RuleStage::plan,
     "Resources depend on each other in a circle, or nodes wait for each other's reboot. No "
     "order of changes satisfies that.",
     "E-order: nmstate; linux-system-roles",
     "Break the circle at one of the lines shown."},
    {"identity-missing",
     Severity::warning,
     RuleStage::plan,
     "The node has no machine id, so apply can't tell whether it is still the machine of the "
     "plan.",
     "E-linux-machine-id: machine-id(5)",
     "Make one: systemd-machine-id-setup, or dbus-uuidgen --ensure."},
};

SourceLine line_of(const SourceMap& sources, const SourceRange& range) {
  if (!is_known(range)) return {};
  const Position position = sources.position(range.file, range.begin);
  return {sources.path(range.file), position.line, position.column};
}

PlanNode plan_node(const discovery::ObservedNode& observed) {
  PlanNode node;
  const NodeFacts& facts = observed.facts;
  if (facts.failure) {
    node.reachable = false;
    node.failure = facts.failure->message;
    return node;
  }
  const discovery::Identity identity = discovery::identity_of(facts);
  node.machine_id = identity.machine_id;
  node.boot_id = identity.boot_id;
  node.host_key = facts.host_key_fingerprint;
  node.facts_digest = discovery::facts_digest(observed);
  return node;
}

// Everything that make_plan works out on its way to the actions.
class Planning {
 public:
  Planning(const PlanInputs& inputs, Diagnostics& diagnostics)
      : inputs_{inputs},
        diagnostics_{diagnostics},
        resources_{inputs.resources},
        apart_{rings(inputs.spec), manager_groups(inputs.spec)} {
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
    for (const auto& [name, node] : inputs_.snapshot.nodes)
      plan.nodes.emplace(name, plan_node(node));
    for (Change& change : diff(inputs_.resources, inputs_.snapshot, inputs_.registry)) {
      candidates_.push_back({std::move(change), {}, {}});
    }
    name_unreachable(plan);
    refuse_missing(inputs_.resources, inputs_.registry, diagnostics_);
    if (no_cycle()) {
      work_ = choose_work(
          candidates_,
          {resources_,
           inputs_.snapshot,
           inputs_.registry,
           apart_,
           rollout_,
           inputs_.spec.rollout.range,
           inputs_.stage},
          diagnostics_);
      warn(plan);
      for (const NodeName& node :
           touched_management_paths(candidates_, inputs_.snapshot, diagnostics_))
        plan.impact.management_path.push_back(node.str());
      make_graph(plan);
    }
    if (diagnostics_.has_errors()) {
      plan.actions.clear();
      plan.waves.clear();
      hold_all("the plan has errors");
    }
    describe(plan);
    const std::string contradiction = find_contradiction(plan);
    FABRIC_CHECK(contradiction.empty(), contradiction.c_str());
    plan.digest = plan_digest(plan);
    return plan;
  }

 private:
  // "fabric.yaml:12" for messages.
  std::string place(const SourceRange& range) const {
    const SourceLine line = line_of(inputs_.sources, range);
    return line.file.empty() ? "no line of the document"
                             : fmt::format("{}:{}", line.file, line.line);
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

  // One finding for all nodes of a node set that failed in the same words: many nodes are behind
  // one dead switch.
  void name_unreachable(const Plan& plan) {
    std::map<std::pair<SourceRange, std::string>, std::vector<NodeName>> nodes_of;
    for (const auto& [name, node] : plan.nodes) {
      if (node.reachable) continue;
      const auto declared = inputs_.spec.nodes.find(name);
      const SourceRange range =
          declared == inputs_.spec.nodes.end() ? SourceRange{} : declared->second.range;
      nodes_of[{range, node.failure}].push_back(name);
    }
    for (const auto& [key, nodes] : nodes_of) {
      diagnostics_.warning(
          "node-unreachable",
          key.first,
          fmt::format(
              "{} {} not reached, so nothing is planned there: {}",
              fold(nodes),
              nodes.size() == 1 ? "was" : "were",
              key.second));
    }
  }

  void warn(const Plan& plan) {
    for (const std::set<NodeName>* nodes : {&work_.disturbed, &work_.undisturbed}) {
      for (const NodeName& node : *nodes) {
        if (!plan.nodes.at(node).machine_id.empty()) continue;
        diagnostics_.warning(
            "identity-missing",
            {},
            fmt::format(
                "{}: no machine id could be read, so that apply can't tell whether it is still the "
                "same machine",
                node.str()));
      }
    }
  }

  void make_graph(Plan& plan) {
    if (diagnostics_.has_errors()) return;
    const std::vector<NodeEdge> edges = node_edges(candidates_, resources_);
    if (!nodes_in_order(edges)) return;
    WaveInputs wave_inputs{work_.disturbed, work_.down, work_.undisturbed, {}};
    for (const NodeEdge& edge : edges)
      wave_inputs.precedence.emplace(edge.before, edge.after);
    WavePlan waves = assign_waves(wave_inputs, apart_, rollout_);
    const std::vector<const Resource*> live =
        live_resources(candidates_, resources_, inputs_.snapshot);
    plan.actions = make_actions(
        {candidates_, resources_, work_.reboots, apart_, waves, inputs_.spec.rollout, live});
    plan.waves = std::move(waves.waves);
  }

  // Resources may be in order and their nodes still wait for each other, because a node's work is
  // one block around its reboot.
  bool nodes_in_order(const std::vector<NodeEdge>& edges) {
    std::map<NodeName, std::size_t> index_of;
    for (const NodeEdge& edge : edges) {
      index_of.emplace(edge.before, index_of.size());
      index_of.emplace(edge.after, index_of.size());
    }
    graph::Dag dag{index_of.size()};
    for (const NodeEdge& edge : edges)
      dag.add_edge(index_of.at(edge.before), index_of.at(edge.after));
    const std::vector<std::size_t> cycle = dag.find_cycle();
    if (cycle.empty()) return true;
    Diagnostic diagnostic;
    diagnostic.rule = "plan-cycle";
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const auto edge = std::find_if(edges.begin(), edges.end(), [&](const NodeEdge& candidate) {
        return index_of.at(candidate.before) == cycle[i] &&
               index_of.at(candidate.after) == cycle[(i + 1) % cycle.size()];
      });
      FABRIC_CHECK(edge != edges.end(), "a cycle over an edge that does not exist");
      const Resource& after = resources_.at(edge->resource);
      if (i == 0) diagnostic.range = after.origin;
      diagnostic.message += edge->before.str() + " -> ";
      diagnostic.with_note(after.origin, waits_text(after, resources_.at(edge->prerequisite)));
      if (i + 1 == cycle.size()) diagnostic.message += edge->after.str();
    }
    diagnostic.message = "nodes wait for each other's reboots: " + diagnostic.message;
    diagnostics_.add(std::move(diagnostic));
    return false;
  }

  void hold_all(const std::string& why) {
    for (Candidate& candidate : candidates_) {
      if (candidate.planned()) candidate.not_planned = why;
    }
  }

  // What people read: the changes, the impact, the counts, the warnings.
  void describe(Plan& plan) const {
    for (const Candidate& candidate : candidates_) {
      count(candidate, plan.summary);
      for (const AttributeChange& attribute : candidate.change.attributes) {
        plan.changes.push_back(
            {candidate.address(),
             candidate.change.kind,
             attribute,
             line_of(inputs_.sources, attribute.source),
             candidate.not_planned});
      }
    }
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
           line_of(inputs_.sources, diagnostic.range)});
    }
  }

  static void count(const Candidate& candidate, Summary& summary) {
    const ChangeKind kind = candidate.change.kind;
    if (kind == ChangeKind::unknown) {
      ++summary.unknown;
    } else if (!candidate.planned()) {
      ++summary.unplanned;
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
  Rollout rollout_;
  Candidates candidates_;
  ChosenWork work_;
};

}  // namespace

RuleRows planner_rules() {
  return kRules;
}

Plan make_plan(const PlanInputs& inputs, Diagnostics& diagnostics) {
  Plan plan = Planning{inputs, diagnostics}.run();
  if (!diagnostics.empty()) diagnostics.find_names(names_in(inputs.spec));
  return plan;
}

}  // namespace fabric::plans
