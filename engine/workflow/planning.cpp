// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/planning.hpp"

#include <algorithm>
#include <map>

#include "engine/provider/statements.hpp"
#include "engine/verify/evidence/evidence.hpp"
#include "engine/verify/paths/open_rings.hpp"
#include "engine/verify/paths/reach_fabric.hpp"
#include "engine/workflow/discovering.hpp"
#include "engine/workflow/fact_rules.hpp"
#include "engine/workflow/trust.hpp"
#include "plans/planner.hpp"

namespace fabric::workflow {

namespace {

// Takes the nodes outside of the limit out of the snapshot; returns those that count as down, and
// why.
std::map<NodeName, std::string> take_outside(
    const Desired& desired, std::vector<NodeFacts>& facts) {
  std::map<NodeName, std::string> down;
  for (const NodeName& node : desired.outside)
    down.emplace(node, "nobody asked it");
  std::erase_if(facts, [&](const NodeFacts& node) {
    const auto found = down.find(node.node);
    const bool is_outside =
        std::binary_search(desired.outside.begin(), desired.outside.end(), node.node);
    if (!is_outside) return false;
    if (node.reachable()) {
      if (found != down.end()) down.erase(found);
    } else {
      down.insert_or_assign(node.node, node.failure->message);
    }
    return true;
  });
  return down;
}

// The nodes that forward now, in networks of mode chain.
std::vector<reach::NetworkNow> paths_now(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const verify::Evidence& evidence,
    Diagnostics& diagnostics) {
  const bool has_rings =
      std::any_of(spec.networks.begin(), spec.networks.end(), [](const auto& network) {
        return network.second.mode.value == Mode::chain;
      });
  if (!has_rings) return {};
  std::vector<reach::NetworkNow> paths = verify::observed_paths(spec, snapshot, evidence);
  verify::report_open_rings(spec, evidence, paths, diagnostics);
  return paths;
}

// A loss by an adoption prevents the plan from being applied, and not from being shown.
std::vector<Diagnostic> take_would_lose(Diagnostics& diagnostics) {
  std::vector<Diagnostic> taken;
  for (Diagnostic& each : diagnostics.take_items()) {
    if (each.rule == kAdoptWouldLose && each.severity == Severity::error) {
      taken.push_back(std::move(each));
    } else {
      diagnostics.add(std::move(each));
    }
  }
  return taken;
}

bool is_only_untrusted(const Planned& planned) {
  const std::vector<Diagnostic>& found = planned.diagnostics.items();
  return std::all_of(found.begin(), found.end(), [](const Diagnostic& each) {
    return each.severity != Severity::error || each.rule == kDocumentNotTrusted;
  });
}

}  // namespace

Planned make_plan(
    const Desired& desired, std::vector<NodeFacts> facts, const BindFiles& bind_files) {
  Planned planned;
  std::map<NodeName, std::string> outside = take_outside(desired, facts);
  Diagnostics diagnostics = desired.diagnostics;
  PreparedResources prepared = prepare_resources(desired, facts, bind_files, diagnostics);
  planned.snapshot =
      discovery::observe(prepared.resources, std::move(facts), desired.registry, diagnostics);
  std::vector<reach::NetworkNow> paths;
  {
    const verify::Evidence evidence{desired.spec, planned.snapshot};
    judge_facts(
        {desired.spec, planned.snapshot, prepared.resources, desired.registry, evidence},
        diagnostics);
    paths = paths_now(desired.spec, planned.snapshot, evidence, diagnostics);
  }
  std::vector<Diagnostic> lost = take_would_lose(diagnostics);
  planned.plan = plans::make_plan(
      {.spec = desired.spec,
       .sources = desired.sources,
       .resources = prepared.resources,
       .snapshot = planned.snapshot,
       .registry = desired.registry,
       .files = desired.inputs,
       .orphans = std::move(prepared.orphans),
       .stage = desired.stage,
       .bindings = std::move(prepared.found_out),
       .limit = desired.limit,
       .outside = std::move(outside),
       .own = desired.own,
       .paths = std::move(paths),
       .spent = desired.outputs_stay ? nullptr : &planned.snapshot},
      diagnostics);
  planned.complete = !diagnostics.has_errors();
  for (Diagnostic& each : lost)
    diagnostics.add(std::move(each));
  diagnostics.sort();
  planned.valid = !diagnostics.has_errors();
  planned.diagnostics = std::move(diagnostics);
  return planned;
}

ExitCode exit_code_of(const Planned& planned) {
  if (!planned.valid) return is_only_untrusted(planned) ? ExitCode::policy : ExitCode::invalid;
  return planned.plan.reached_all() ? ExitCode::done : ExitCode::unreachable;
}

}  // namespace fabric::workflow
