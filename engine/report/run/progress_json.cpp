// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run/progress_json.hpp"

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/report/plan/action_words.hpp"
#include "engine/report/plan/plan_changes.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/verify/report_tables.hpp"
#include "engine/report/verify/verify_formats.hpp"
#include "engine/value/json.hpp"
#include "engine/value/lists.hpp"

namespace fabric::report {

namespace {

Map about(const plans::Action& action) {
  return {
      {"action", action.id},
      {"node", action.node.str()},
      {"kind", action.draft.kind},
      {"wave", action.wave}};
}

Map change_fields(const plans::PlannedChange& change) {
  Map fields{
      {"address", change.address.str()},
      {"node", change.address.node.str()},
      {"kind", to_string(change.kind)},
      {"attribute", change.attribute.attribute},
      {"observed", observed_text(change.attribute.observed)},
      {"desired", change.attribute.desired},
      {"disruption", to_string(change.attribute.disruption)},
      {"file", change.source.file},
      {"line", change.source.line}};
  if (change.withheld) {
    Map withheld{
        {"why", plans::to_string(change.withheld->why)},
        {"text", plans::withheld_text(*change.withheld)}};
    if (change.withheld->on) withheld.emplace("on", change.withheld->on->str());
    if (!change.withheld->needs.empty())
      withheld.emplace("needs", Map{{"package", change.withheld->needs.package}});
    fields.emplace("withheld", std::move(withheld));
  }
  return fields;
}

}  // namespace

void JsonEvents::emit(
    std::string_view level, std::string_view type, std::string_view message, Map fields) const {
  fields.insert_or_assign("@level", level);
  fields.insert_or_assign("@message", message);
  fields.insert_or_assign("@module", "fabric");
  fields.insert_or_assign("@timestamp", format_utc(clock_.unix_milliseconds()));
  fields.insert_or_assign("type", type);
  sink_(Text::document(to_json(Value{std::move(fields)})) + "\n");
}

void emit_plan(
    const JsonEvents& events,
    const plans::Plan& plan,
    const std::optional<execute::Estimate>& time) {
  for (const plans::PlannedChange& change : plan.changes) {
    const std::string message = fmt::format(
        "{} {}: {} -> {}",
        change.address.str(),
        change.attribute.attribute,
        observed_text(change.attribute.observed),
        change.attribute.desired.is_null() ? "removed" : to_text(change.attribute.desired));
    events.emit("info", "planned_change", message, change_fields(change));
  }
  for (const NodeName& name : plan.withheld_nodes()) {
    const plans::PlanNode& node = plan.nodes.at(name);
    events.emit(
        "warn",
        "node_withheld",
        fmt::format("{}: {}; to go on: {}", name.str(), node.withheld.why, node.withheld.release),
        {{"node", name.str()},
         {"withheld", node.withheld.why},
         {"release", node.withheld.release}});
  }
  const plans::Summary& summary = plan.summary;
  events.emit(
      "info",
      "change_summary",
      plan_summary(plan),
      {{"add", summary.add},
       {"change", summary.change},
       {"remove", summary.remove},
       {"unknown", summary.unknown},
       {"withheld", summary.withheld},
       {"digest", plan.digest}});
  const plans::Impact& impact = plan.impact;
  const std::vector<std::string>& paths = plan.permissions.management_path.nodes;
  Map fields{
      {"reboots", impact.reboots},
      {"link_flaps", impact.link_flaps},
      {"sm_moves", impact.sm_moves},
      {"management_path", List{paths.begin(), paths.end()}},
      {"waves", static_cast<std::int64_t>(plan.waves.size())}};
  if (!impact.behind_switches.empty())
    fields.emplace(
        "behind_switches", List{impact.behind_switches.begin(), impact.behind_switches.end()});
  if (!impact.paths_lost.empty()) {
    List lost;
    for (const plans::PathsLostInWave& wave : impact.paths_lost)
      lost.emplace_back(
          Map{{"wave", wave.wave},
              {"network", wave.network},
              {"working", wave.working},
              {"lost", wave.lost},
              {"unknown", wave.unknown},
              {"apart", static_cast<std::int64_t>(wave.apart.size())}});
    fields.emplace("paths_lost", std::move(lost));
  }
  if (time) fields.emplace("estimate_ms", std::int64_t{time->time.count()});
  events.emit(
      "info",
      "impact_summary",
      count(impact.reboots, "reboot") + ", " + count(impact.link_flaps, "link flap"),
      std::move(fields));
}

namespace {

void emit_cables(const JsonEvents& events, const verify::Report& report) {
  for (const verify::CableReport& cable : report.cables) {
    const bool ok =
        cable.state == verify::CableState::ok || cable.state == verify::CableState::offline;
    events.emit(
        ok ? "info" : "warn",
        "verify_result",
        fmt::format("cable {} - {}: {}", cable.a.str(), cable.b.str(), to_string(cable.state)),
        {{"cable", cable_value(cable)}});
  }
  for (const verify::UnexpectedCable& cable : report.unexpected) {
    events.emit(
        "warn",
        "verify_result",
        fmt::format("cable {} - {}: unexpected", cable.a, cable.b),
        {{"cable", cable_value(cable)}});
  }
}

void emit_traffic(const JsonEvents& events, const verify::Report& report) {
  for (const verify::PathReport& path : report.paths) {
    events.emit(
        path.full == verify::Passage::passed ? "info" : "warn",
        "verify_result",
        fmt::format(
            "path {} -> {}: small {}, full {}",
            path.path.from.str(),
            path.path.to.str(),
            to_string(path.small),
            to_string(path.full)),
        {{"path", path_value(path)}});
  }
  for (const verify::FlowReport& flow : report.flows) {
    events.emit(
        flow.state == verify::FlowState::measured ? "info" : "warn",
        "verify_result",
        fmt::format(
            "{} {} -> {}: {}",
            flow.flow.tool.program,
            flow.flow.client.port.str(),
            flow.flow.server.port.str(),
            to_string(flow.state)),
        {{"flow", flow_value(flow)}});
  }
}

void emit_ports(const JsonEvents& events, const verify::Report& report) {
  for (const verify::CounterReport& counter : report.counters) {
    events.emit(
        counter.state == verify::CounterState::still ? "info" : "warn",
        "verify_result",
        fmt::format("counters of {}: {}", counter.port.str(), to_string(counter.state)),
        {{"counters", counter_value(counter)}});
  }
  for (const verify::RoceAddressReport& address : report.roce_addresses) {
    events.emit(
        address.index ? "info" : "error",
        "verify_result",
        fmt::format("RoCE of {} at {}", address.address, address.port.str()),
        {{"roce_address", roce_value(address)}});
  }
  for (const verify::QosReport& qos : report.qos) {
    events.emit(
        qos.is_right() ? "info" : "error",
        "verify_result",
        fmt::format("lossless RoCE of {}", qos.where),
        {{"qos", qos_value(qos)}});
  }
  for (const verify::LinkReport& link : report.links) {
    events.emit(
        link.why_unknown.empty() ? "info" : "warn",
        "verify_result",
        fmt::format("link of {}", link.port.str()),
        {{"link", link_value(link)}});
  }
}

}  // namespace

void emit_verify(const JsonEvents& events, const verify::Report& report, const SourceMap& sources) {
  emit_cables(events, report);
  emit_traffic(events, report);
  emit_ports(events, report);
  for (const verify::FailoverReport& failover : report.failovers) {
    events.emit(
        failover.state == verify::FailoverState::passed ? "info" : "warn",
        "verify_result",
        fmt::format(
            "fail-over of {} without {}: {}",
            failover.failover.bond,
            failover.failover.port.str(),
            to_string(failover.state)),
        {{"failover", failover_value(failover)}});
  }
  for (std::size_t index = 0; index < report.findings.size(); ++index) {
    const Diagnostic& finding = report.findings[index];
    events.emit(
        finding.severity == Severity::error ? "error" : "warn",
        "verify_result",
        finding.message,
        {{"finding", finding_value(report, index, sources)}});
  }
}

void JsonProgress::discover_started(std::size_t nodes) {
  events_.emit(
      "info",
      "discover_start",
      fmt::format("reading {} nodes", nodes),
      {{"nodes", static_cast<std::int64_t>(nodes)}});
}

void JsonProgress::discover_node(const NodeFacts& facts) {
  const std::string& node = facts.node.str();
  if (facts.reachable()) {
    events_.emit("info", "discover_complete", node + " was read", {{"node", node}});
  } else {
    events_.emit(
        "error",
        "discover_failed",
        node + " was not reached: " + facts.failure->message,
        {{"node", node}, {"reason", facts.failure->message}});
  }
}

void JsonProgress::discover_waiting(const std::vector<NodeName>& nodes) {
  events_.emit("info", "log", "still waiting for " + fold(nodes), {{"waiting", to_list(nodes)}});
}

void JsonProgress::run_started(const plans::Plan& plan, const std::string& run) {
  events_.emit(
      "info",
      "run_start",
      fmt::format("run {}: {} actions", run, plan.actions.size()),
      {{"run_id", run}, {"plan", plan.digest}});
}

void JsonProgress::wave_started(const plans::Wave& wave) {
  events_.emit(
      "info",
      "wave_start",
      fmt::format("wave {}: {}", wave.number, fold(wave.nodes)),
      {{"wave", wave.number}, {"nodes", to_list(wave.nodes)}, {"why", wave.why}});
}

void JsonProgress::action_started(const plans::Action& action) {
  events_.emit(
      "info",
      "apply_start",
      fmt::format("{}: {}", action.node.str(), action.draft.title),
      about(action));
}

void JsonProgress::action_phase(const plans::Action& action, const std::string& phase) {
  Map fields = about(action);
  const ActionDraft& draft = action.draft;
  if (!draft.by_hand.empty() && phase == draft.by_hand) {
    fields.emplace("by_hand", phase);
    fields.emplace("wait_ms", std::int64_t{wait_of(action).count()});
    events_.emit("warn", "by_hand", "waiting for a person: " + phase, std::move(fields));
    return;
  }
  fields.emplace("phase", phase);
  events_.emit(
      "info", "apply_progress", fmt::format("{}: {}", action.node.str(), phase), std::move(fields));
}

void JsonProgress::action_ended(const plans::Action& action, const execute::ActionResult& result) {
  using execute::ActionState;
  Map fields = about(action);
  fields.emplace("state", to_string(result.state));
  fields.emplace("took_ms", std::int64_t{result.took.count()});
  if (!result.detail.empty()) fields.emplace("detail", result.detail);
  const std::string message =
      fmt::format("{}: {}: {}", action.node.str(), action.draft.title, to_string(result.state));
  switch (result.state) {
    case ActionState::done:
    case ActionState::already_satisfied:
      events_.emit("info", "apply_complete", message, std::move(fields));
      break;
    case ActionState::skipped:
    case ActionState::not_started:
      fields.emplace("because", result.cause);
      events_.emit("warn", "action_skipped", message, std::move(fields));
      break;
    case ActionState::failed:
    case ActionState::unknown:
      events_.emit(
          "error",
          "apply_errored",
          message + (result.detail.empty() ? "" : ": " + result.detail),
          std::move(fields));
      break;
  }
}

void JsonProgress::heartbeat(const std::vector<std::string>& running_actions) {
  events_.emit(
      "info",
      "apply_progress",
      fmt::format("{} actions still running", running_actions.size()),
      {{"running", to_list(running_actions)}});
}

}  // namespace fabric::report
