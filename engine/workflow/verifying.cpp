#include "engine/workflow/verifying.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/flows/flow_choice.hpp"
#include "engine/verify/subnet/stray_managers.hpp"
#include "engine/verify/subnet/subnet_ports.hpp"
#include "engine/workflow/measuring.hpp"
#include "engine/workflow/run_on_nodes.hpp"

namespace fabric::workflow {

namespace {

std::map<NodeName, std::vector<verify::Path>> by_node(std::vector<verify::Path> paths) {
  std::map<NodeName, std::vector<verify::Path>> nodes;
  for (verify::Path& path : paths)
    nodes[path.from.node].push_back(std::move(path));
  return nodes;
}

std::vector<verify::PathReport> not_run(
    const std::vector<verify::Path>& paths, const Error& error) {
  std::vector<verify::PathReport> reports;
  for (const verify::Path& path : paths) {
    reports.push_back({path, verify::Passage::untested, verify::Passage::untested, error.message});
  }
  return reports;
}

// In order of node, whatever order the answers come in.
std::vector<verify::PathReport> run_pings(
    Listener& listener,
    const std::map<NodeName, std::vector<verify::Path>>& nodes,
    remote::StepRunner& runner) {
  std::map<NodeName, remote::Command> commands;
  for (const auto& [node, paths] : nodes)
    commands.emplace(node, verify::ping_command(paths));
  std::vector<verify::PathReport> reports;
  for (const auto& [node, result] : run_on_nodes(listener, commands, runner, "pinging from")) {
    const std::vector<verify::Path>& paths = nodes.at(node);
    const std::vector<verify::PathReport> some = result.outcome == remote::Outcome::succeeded
                                                     ? verify::parse_pings(paths, result.output)
                                                     : not_run(paths, result.error);
    reports.insert(reports.end(), some.begin(), some.end());
  }
  return reports;
}

// LACP aggregates some seconds after its ports came up, and IPoIB joins its group late.
constexpr Duration kSettles{15'000};
constexpr Duration kBetweenRounds{3'000};
constexpr int kMostRounds = 5;

void let_settle(remote::StepRunner& runner, const NodeName& node) {
  runner.start({1, node, remote::step::Pause{kBetweenRounds}});
  while (!runner.wait_any(kSettles)) {
  }
}

std::vector<verify::Path> lost_while_settling(
    const FabricSpec& spec, const std::vector<verify::PathReport>& reports) {
  std::vector<verify::Path> lost;
  for (const verify::PathReport& report : reports) {
    if (report.small == verify::Passage::lost && verify::settles_late(spec, report.path))
      lost.push_back(report.path);
  }
  return lost;
}

// Asks again for what may only not be ready yet, until it answers or has had its time.
void ask_again(
    Listener& listener,
    const FabricSpec& spec,
    std::vector<verify::PathReport>& reports,
    remote::StepRunner& runner) {
  const TimePoint until = runner.clock().now() + kSettles;
  for (int round = 0; round < kMostRounds && runner.clock().now() < until; ++round) {
    std::vector<verify::Path> lost = lost_while_settling(spec, reports);
    if (lost.empty()) return;
    if (round == 0) listener.note(fmt::format("asking again for {} lost paths", lost.size()));
    let_settle(runner, lost.front().from.node);
    std::map<verify::Path, verify::PathReport> answered;
    for (verify::PathReport& again : run_pings(listener, by_node(std::move(lost)), runner)) {
      if (again.small == verify::Passage::passed) answered.emplace(again.path, again);
    }
    for (verify::PathReport& report : reports) {
      const auto better = answered.find(report.path);
      if (better != answered.end()) report = better->second;
    }
  }
}

verify::ReadingsByNode read_ports(
    Listener& listener, const discovery::Snapshot& snapshot, remote::StepRunner& runner) {
  std::map<NodeName, remote::Command> commands;
  for (const auto& [node, observed] : snapshot.nodes) {
    if (observed.facts.reachable()) commands.emplace(node, verify::port_readings_command());
  }
  verify::ReadingsByNode readings;
  for (const auto& [node, result] :
       run_on_nodes(listener, commands, runner, "reading the counters of")) {
    if (result.outcome == remote::Outcome::succeeded) {
      readings.emplace(node, verify::parse_port_readings(result.output.standard_output));
    } else {
      readings[node].why_not = result.error.message;
    }
  }
  return readings;
}

// One after the other: two ports closed at once could be the two of one pair.
std::vector<verify::FailoverReport> close_ports(
    Listener& listener,
    const std::vector<verify::Failover>& failovers,
    remote::StepRunner& runner) {
  std::vector<verify::FailoverReport> reports;
  for (const verify::Failover& failover : failovers) {
    listener.note(fmt::format(
        "closing {} of {} ({} of {})",
        failover.port.str(),
        failover.bond,
        reports.size() + 1,
        failovers.size()));
    const auto answers = run_on_nodes(
        listener,
        {{failover.port.node, verify::failover_command(failover)}},
        runner,
        "watching the fail-over of");
    const remote::StepResult& result = answers.at(failover.port.node);
    verify::FailoverReport report = verify::parse_failover(failover, result.output);
    if (result.outcome != remote::Outcome::succeeded) report.detail = result.error.message;
    reports.push_back(std::move(report));
  }
  return reports;
}

std::vector<verify::FlowReport> run_flows(
    Listener& listener,
    const Observed& observed,
    const verify::ReadingsByNode& readings,
    const VerifyWish& wish,
    remote::StepRunner& runner,
    Random& random) {
  const auto flows_by = [&](verify::FlowTool tool) {
    return verify::flows_to_test(observed.spec, observed.snapshot, readings, tool);
  };
  std::vector<verify::Flow> flows = flows_by(verify::FlowTool::ib_send_bw);
  if (wish.level < VerifyLevel::perf) return measure(listener, flows, Duration{0}, runner, random);
  std::vector<verify::Flow> more = flows_by(verify::FlowTool::iperf3);
  std::move(more.begin(), more.end(), std::back_inserter(flows));
  return measure(listener, flows, wish.duration, runner, random);
}

}  // namespace

verify::Report verify_now(
    Listener& listener,
    const Observed& observed,
    remote::StepRunner& runner,
    const VerifyWish& wish,
    verify::WireEvidence wire,
    Random& random) {
  const auto& [spec, snapshot, of_resources] = observed;
  const verify::ReadingsByNode before = read_ports(listener, snapshot, runner);
  verify::Tested tested;
  tested.wire = std::move(wire);
  if (wish.level >= VerifyLevel::path) {
    tested.pinged = true;
    std::vector<verify::Path> wanted = verify::paths_to_test(spec, snapshot);
    if (!wanted.empty()) listener.note(fmt::format("pinging {} paths", wanted.size()));
    tested.paths = run_pings(listener, by_node(std::move(wanted)), runner);
    ask_again(listener, spec, tested.paths, runner);
  }
  if (wish.level >= VerifyLevel::rdma)
    tested.flows = run_flows(listener, observed, before, wish, runner, random);
  tested.bandwidth_judged = wish.level == VerifyLevel::perf;
  const verify::ReadingsByNode after = read_ports(listener, snapshot, runner);
  tested.counters = verify::compare_counters(spec, snapshot, before, after);
  tested.subnet_ports = verify::judge_subnet_ports(spec, snapshot, after);
  tested.stray_managers = verify::stray_managers(spec, snapshot, after);
  // After the counters, which would tell of every link that this takes down.
  if (wish.failover) {
    tested.failovers = close_ports(listener, verify::failovers_to_test(spec, snapshot), runner);
    std::vector<verify::FailoverReport> untried = verify::untried_failovers(spec, snapshot);
    std::move(untried.begin(), untried.end(), std::back_inserter(tested.failovers));
  }
  return verify::judge(spec, snapshot, tested, of_resources);
}

verify::Report verify_fabric(
    Listener& listener,
    const Desired& desired,
    std::vector<NodeFacts> facts,
    const std::vector<WireWay>& ways,
    const VerifyWish& wish,
    remote::StepRunner* runner,
    Random& random) {
  Diagnostics of_resources;
  const discovery::Snapshot snapshot = observe(desired, std::move(facts), of_resources);
  verify::WireEvidence wire = read_wire(listener, desired, &snapshot, ways, runner);
  if (runner != nullptr) {
    return verify_now(
        listener, {desired.spec, snapshot, of_resources}, *runner, wish, std::move(wire), random);
  }
  verify::Tested tested;
  tested.wire = std::move(wire);
  return verify::judge(desired.spec, snapshot, tested, of_resources);
}

ExitCode exit_code_of(const verify::Report& report) {
  ExitCode code = ExitCode::done;
  for (const Diagnostic& finding : report.findings) {
    if (finding.severity != Severity::error) continue;
    code = worse(
        code, finding.rule == "not-reachable" ? ExitCode::unreachable : ExitCode::not_verified);
  }
  return code;
}

}  // namespace fabric::workflow
