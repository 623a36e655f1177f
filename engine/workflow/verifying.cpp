// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/verifying.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/discovery/evidence.hpp"
#include "engine/provider/node_platforms.hpp"
#include "engine/verify/cables/cables.hpp"
#include "engine/verify/evidence/counters.hpp"
#include "engine/verify/failover/failover.hpp"
#include "engine/verify/flows/flow.hpp"
#include "engine/verify/flows/flow_findings.hpp"
#include "engine/verify/subnet/managers.hpp"
#include "engine/verify/subnet/subnet_ports.hpp"
#include "engine/workflow/discovering.hpp"

namespace fabric::workflow {

namespace {

// Flows between nodes, measured one round after the other.

constexpr Duration kHeartbeat{5'000};
// The time until a server listens; a client that comes too early tries again.
constexpr Duration kServerStarts{1'000};
constexpr int kMostTries = 4;
// Ports of one run, chosen so that two runs of fabric on the same nodes rarely use the same: above
// those of services, below those that Linux gives to clients (32768).
constexpr std::uint16_t kFirstPort = 20'000;
constexpr std::uint16_t kPorts = 12'000;

struct Running {
  std::optional<remote::StepResult> server, client;
  int tries = 1;
};

// The flows of one round, all at once.
class Round {
 public:
  Round(
      remote::StepRunner& runner,
      const std::vector<verify::Flow>& flows,
      Duration duration,
      const FabricSpec& spec,
      const Registry& registry)
      : runner_{runner}, flows_{flows}, duration_{duration}, spec_{spec}, registry_{registry} {}

  void start(const std::vector<std::size_t>& indices, std::uint16_t first_port) {
    for (const std::size_t index : indices) {
      const verify::Flow& flow = flows_[index];
      const auto port = static_cast<std::uint16_t>(first_port + index % kPorts);
      orders_.emplace(
          index,
          platform::FlowOrder{flow.traffic, flow.client.at, flow.server.at, port, duration_});
      running_.emplace(index, Running{});
      const NodeName& node = flow.server.port.node;
      begin(index, Part::server, node, tests_of(node).serve(orders_.at(index)));
      start_client(index);
    }
  }

  bool ended() const { return tickets_.empty(); }

  void take(remote::StepResult result) {
    const auto found = tickets_.find(result.ticket);
    if (found == tickets_.end()) return;
    const auto [index, part] = found->second;
    tickets_.erase(found);
    Running& running = running_.at(index);
    if (part == Part::pause) return;
    if (part == Part::server) {
      running.server = std::move(result);
      return;
    }
    const bool early = result.outcome == remote::Outcome::succeeded && !running.server &&
                       answer_of(flows_[index], result).nobody_listened;
    if (early && running.tries < kMostTries) {
      ++running.tries;
      start_client(index);
      return;
    }
    running.client = std::move(result);
  }

  verify::FlowReport report(std::size_t index) const {
    const Running& running = running_.at(index);
    const verify::Flow& flow = flows_[index];
    for (const auto* result : {&running.client, &running.server}) {
      if (!*result || (*result)->outcome == remote::Outcome::succeeded) continue;
      return {flow, verify::FlowState::untested, 0, (*result)->error.message};
    }
    return verify::report_of(
        flow,
        answer_of(flow, *running.client),
        tests_of(flow.server.port.node).serving_failure(*running.server));
  }

 private:
  enum class Part : std::uint8_t { pause, server, client };

  // The platform is known at both ends of every flow that is to be tried.
  const platform::PathTests& tests_of(const NodeName& node) const {
    const platform::PathTests* tests = platform::platform_of(node, spec_, registry_).path_tests();
    FABRIC_CHECK(tests != nullptr, "a flow is measured on a platform without path tests");
    return *tests;
  }

  platform::FlowAnswer answer_of(const verify::Flow& flow, const remote::StepResult& client) const {
    return tests_of(flow.client.port.node).flow_answer(flow.traffic, client);
  }

  void begin(std::size_t index, Part part, const NodeName& node, remote::Step step) {
    tickets_.emplace(next_, std::pair{index, part});
    runner_.start({next_++, node, std::move(step)});
  }

  void start_client(std::size_t index) {
    const verify::Flow& flow = flows_[index];
    const NodeName& node = flow.client.port.node;
    tickets_.emplace(next_, std::pair{index, Part::pause});
    runner_.start({next_++, node, remote::step::Pause{kServerStarts}});
    begin(index, Part::client, node, tests_of(node).send(orders_.at(index)));
  }

  remote::StepRunner& runner_;
  const std::vector<verify::Flow>& flows_;
  Duration duration_;
  const FabricSpec& spec_;
  const Registry& registry_;
  remote::Ticket next_ = 1;
  std::map<std::size_t, platform::FlowOrder> orders_;
  std::map<std::size_t, Running> running_;
  std::map<remote::Ticket, std::pair<std::size_t, Part>> tickets_;
};

// NOLINTNEXTLINE(readability-function-size): what a measurement needs
// Results in the order of `flows`. REQUIRES: `registry` has the platform of both ends. `duration`
// of each flow: 0 = only whether RDMA works. Flows that are not to be tried are reported as
// untested with their reason.
std::vector<verify::FlowReport> measure(
    Listener& listener,
    const std::vector<verify::Flow>& flows,
    const FabricSpec& spec,
    const Registry& registry,
    Duration duration,
    remote::StepRunner& runner,
    Random& random) {
  std::vector<verify::FlowReport> reports;
  reports.reserve(flows.size());
  for (const verify::Flow& flow : flows)
    reports.push_back({flow, verify::FlowState::untested, 0, flow.why_not});
  const auto first_port = static_cast<std::uint16_t>(kFirstPort + random.below(kPorts));
  const std::vector<std::vector<std::size_t>> rounds = verify::flow_rounds(flows);
  if (duration > Duration{0} && rounds.size() > 1) {
    const Duration least = (duration + kServerStarts) * static_cast<Duration::rep>(rounds.size());
    listener.note(fmt::format(
        "{} flows in {} rounds of {} each: {} at least",
        std::ranges::count_if(flows, [](const verify::Flow& flow) { return flow.why_not.empty(); }),
        rounds.size(),
        format_duration(duration),
        format_duration(least)));
  }
  for (std::size_t number = 0; number < rounds.size(); ++number) {
    listener.note(fmt::format(
        "measuring {} {}, round {} of {}",
        rounds[number].size(),
        rounds[number].size() == 1 ? "flow" : "flows",
        number + 1,
        rounds.size()));
    listener.phase("measuring flows");
    Round round{runner, flows, duration, spec, registry};
    round.start(rounds[number], first_port);
    while (!round.ended()) {
      if (std::optional<remote::StepResult> result = runner.wait_any(kHeartbeat))
        round.take(std::move(*result));
    }
    for (const std::size_t index : rounds[number])
      reports[index] = round.report(index);
  }
  return reports;
}

constexpr const char* kUntestable = "its platform has no path tests";

std::map<NodeName, std::vector<verify::Path>> by_node(std::vector<verify::Path> paths) {
  std::map<NodeName, std::vector<verify::Path>> nodes;
  for (verify::Path& path : paths)
    nodes[path.from.node].push_back(std::move(path));
  return nodes;
}

std::vector<verify::PathReport> not_run(
    const std::vector<verify::Path>& paths, const std::string& why) {
  std::vector<verify::PathReport> reports;
  for (const verify::Path& path : paths) {
    reports.push_back({path, verify::Passage::untested, verify::Passage::untested, why});
  }
  return reports;
}

const platform::HostPlatform& platform_of(const Observed& observed, const NodeName& node) {
  return platform::platform_of(node, observed.spec, observed.registry);
}

// Sorted by node, whatever order the answers come in; the nodes that can't ping come first.
std::vector<verify::PathReport> run_pings(
    Listener& listener,
    const Observed& observed,
    const std::map<NodeName, std::vector<verify::Path>>& nodes,
    remote::StepRunner& runner) {
  std::map<NodeName, remote::Step> steps;
  std::vector<verify::PathReport> reports;
  for (const auto& [node, paths] : nodes) {
    if (const platform::PingTests* tests = platform_of(observed, node).ping_tests();
        tests != nullptr) {
      steps.emplace(node, verify::ping_step(*tests, paths));
      continue;
    }
    const std::vector<verify::PathReport> none = not_run(paths, kUntestable);
    reports.insert(reports.end(), none.begin(), none.end());
  }
  for (const auto& [node, result] : run_on_nodes(listener, steps, runner, "pinging from")) {
    const std::vector<verify::Path>& paths = nodes.at(node);
    const std::vector<verify::PathReport> some =
        result.outcome == remote::Outcome::succeeded
            ? verify::parse_pings(*platform_of(observed, node).ping_tests(), paths, result)
            : not_run(paths, result.error.message);
    reports.insert(reports.end(), some.begin(), some.end());
  }
  return reports;
}

// Tries pairs that must not reach each other. Under a limit only those of its nodes are tried and
// judged.
std::vector<verify::ApartReport> try_apart(
    Listener& listener,
    const Observed& observed,
    const std::vector<verify::PathReport>& paths,
    const std::set<NodeName>& limit,
    remote::StepRunner& runner) {
  std::vector<std::vector<verify::Path>> wanted =
      verify::paths_that_must_fail(observed.spec, observed.snapshot);
  std::vector<verify::Path> all;
  for (std::vector<verify::Path>& of_pair : wanted) {
    std::erase_if(of_pair, [&limit](const verify::Path& path) {
      return !limit.empty() && !limit.contains(path.from.node) && !limit.contains(path.to.node);
    });
    all.insert(all.end(), of_pair.begin(), of_pair.end());
  }
  if (!all.empty()) listener.note(fmt::format("pinging {} paths that must fail", all.size()));
  const std::vector<verify::PathReport> tried =
      all.empty() ? std::vector<verify::PathReport>{}
                  : run_pings(listener, observed, by_node(std::move(all)), runner);
  std::vector<verify::ApartReport> reports =
      verify::judge_apart(observed.spec, wanted, tried, paths);
  std::erase_if(reports, [&](const verify::ApartReport& report) {
    return !limit.empty() && wanted[report.pair].empty();
  });
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

// Asks again for paths that may only not be ready yet, until they answer or their time is over.
void ask_again(
    Listener& listener,
    const Observed& observed,
    std::vector<verify::PathReport>& reports,
    remote::StepRunner& runner) {
  const TimePoint until = runner.clock().now() + kSettles;
  for (int round = 0; round < kMostRounds && runner.clock().now() < until; ++round) {
    std::vector<verify::Path> lost = lost_while_settling(observed.spec, reports);
    if (lost.empty()) return;
    if (round == 0) listener.note(fmt::format("pinging lost paths again: {}", lost.size()));
    let_settle(runner, lost.front().from.node);
    std::map<verify::Path, verify::PathReport> answered;
    for (verify::PathReport& again :
         run_pings(listener, observed, by_node(std::move(lost)), runner)) {
      if (again.small == verify::Passage::passed) answered.emplace(again.path, again);
    }
    for (verify::PathReport& report : reports) {
      const auto better = answered.find(report.path);
      if (better != answered.end()) report = better->second;
    }
  }
}

verify::ReadingsByNode read_ports(
    Listener& listener, const Observed& observed, remote::StepRunner& runner) {
  std::map<NodeName, remote::Step> steps;
  verify::ReadingsByNode readings;
  for (const auto& [node, seen] : observed.snapshot.nodes) {
    if (!seen.facts.reachable()) continue;
    if (const auto* counters = platform_of(observed, node).port_counters(); counters != nullptr) {
      steps.emplace(node, counters->read_ports());
    } else if (!is_switch(observed.spec.nodes.at(node).platform.value)) {
      readings[node].why_not = kUntestable;
    }
  }
  for (const auto& [node, result] :
       run_on_nodes(listener, steps, runner, "reading the counters of")) {
    if (result.outcome == remote::Outcome::succeeded) {
      const auto* counters = platform_of(observed, node).port_counters();
      readings.emplace(node, counters->port_readings(result));
    } else {
      readings[node].why_not = result.error.message;
    }
  }
  return readings;
}

verify::LinksByNode read_links(
    Listener& listener, const Observed& observed, remote::StepRunner& runner) {
  std::map<NodeName, remote::Step> steps;
  for (const auto& [node, seen] : observed.snapshot.nodes) {
    const platform::PathTests* tests =
        seen.facts.reachable() ? platform_of(observed, node).path_tests() : nullptr;
    if (tests != nullptr) steps.emplace(node, tests->read_links());
  }
  verify::LinksByNode links;
  for (const auto& [node, result] : run_on_nodes(listener, steps, runner, "reading the links of")) {
    if (result.outcome == remote::Outcome::succeeded) {
      links.emplace(node, platform_of(observed, node).path_tests()->link_readings(result));
    } else {
      links[node].why_not = result.error.message;
    }
  }
  return links;
}

// Closes one port after the other: two at the same time could be both ports of one pair.
std::vector<verify::FailoverReport> close_ports(
    Listener& listener,
    const Observed& observed,
    const std::set<NodeName>& limit,
    remote::StepRunner& runner) {
  std::vector<verify::Failover> failovers =
      verify::failovers_to_test(observed.spec, observed.snapshot);
  std::erase_if(failovers, [&limit](const verify::Failover& failover) {
    return !limit.empty() && !limit.contains(failover.port.node);
  });
  std::vector<verify::FailoverReport> reports;
  std::set<std::pair<NodeName, std::string>> untestable;  // bonds, each reported once
  for (const verify::Failover& failover : failovers) {
    const NodeName& node = failover.port.node;
    const platform::PathTests* tests = platform_of(observed, node).path_tests();
    if (tests == nullptr) {
      if (untestable.emplace(node, failover.bond).second) {
        reports.push_back({failover, verify::FailoverState::untested, 0, 0, 0, {}, kUntestable});
      }
      continue;
    }
    listener.note(fmt::format(
        "closing {} of {} ({} of {})",
        failover.port.str(),
        failover.bond,
        reports.size() + 1,
        failovers.size()));
    const auto answers = run_on_nodes(
        listener,
        {{node, tests->close_port(verify::closing_of(failover))}},
        runner,
        "watching the fail-over of");
    const remote::StepResult& result = answers.at(node);
    verify::FailoverReport report = verify::judge_failover(failover, tests->closing_answer(result));
    if (result.outcome != remote::Outcome::succeeded) report.detail = result.error.message;
    reports.push_back(std::move(report));
  }
  return reports;
}

// Stops one manager after the other, each under its node's lock.
std::vector<verify::FailoverReport> stop_managers(
    Listener& listener,
    const Observed& observed,
    const std::vector<verify::ManagerReport>& managers,
    const VerifyWish& wish,
    remote::StepRunner& runner,
    Random& random) {
  std::vector<verify::FailoverReport> reports;
  for (verify::ManagerFailover& each : verify::manager_failovers(observed.spec, managers)) {
    const NodeName& node = each.failover.port.node;
    if (!wish.limit.empty() && !wish.limit.contains(node)) continue;
    platform::ManagerStoppingAnswer answer;
    if (each.obstacle.empty()) {
      const platform::HostPlatform& host = platform_of(observed, node);
      if (host.path_tests() == nullptr) each.obstacle = kUntestable;
      execute::Leases leases{*wish.lock, {{node, &host}}, runner, random};
      if (const Result<void> taken = leases.take(); !taken) each.obstacle = taken.error().message;
      if (each.obstacle.empty()) {
        listener.note(fmt::format("stopping {} of {}", each.failover.bond, node.str()));
        const remote::StepResult result =
            run_on_nodes(
                listener,
                {{node, host.path_tests()->stop_manager(each.stopping)}},
                runner,
                "watching the fail-over of")
                .at(node);
        answer = host.path_tests()->stopping_answer(result);
        if (result.outcome != remote::Outcome::succeeded) answer.untested = result.error.message;
      }
      leases.release();
    }
    reports.push_back(verify::judge_manager_failover(each, answer));
  }
  return reports;
}

std::set<NodeName> untestable_nodes(const Observed& observed) {
  std::set<NodeName> nodes;
  for (const auto& [node, seen] : observed.snapshot.nodes) {
    if (seen.facts.reachable() && platform_of(observed, node).path_tests() == nullptr)
      nodes.insert(node);
  }
  return nodes;
}

std::vector<verify::FlowReport> run_flows(
    Listener& listener,
    const Observed& observed,
    const verify::ReadingsByNode& readings,
    const VerifyWish& wish,
    remote::StepRunner& runner,
    Random& random) {
  const auto flows_of = [&](verify::Traffic traffic) {
    return verify::flows_to_test(
        observed.spec,
        observed.snapshot,
        readings,
        observed.registry,
        {traffic, wish.pairs, wish.limit});
  };
  std::vector<verify::Flow> flows = flows_of(verify::Traffic::rdma);
  Duration duration{0};
  if (wish.level >= VerifyLevel::perf) {
    std::vector<verify::Flow> more = flows_of(verify::Traffic::tcp);
    std::move(more.begin(), more.end(), std::back_inserter(flows));
    duration = wish.duration;
  }
  return measure(listener, flows, observed.spec, observed.registry, duration, runner, random);
}

}  // namespace

verify::Report verify_now(
    Listener& listener,
    const Observed& observed,
    remote::StepRunner& runner,
    const VerifyWish& wish,
    verify::WireEvidence wire,
    Random& random) {
  const FabricSpec& spec = observed.spec;
  const discovery::Snapshot& snapshot = observed.snapshot;
  const verify::ReadingsByNode before = read_ports(listener, observed, runner);
  verify::Tested tested;
  tested.wire = std::move(wire);
  tested.before = before;
  if (wish.level >= VerifyLevel::path) {
    tested.untestable = untestable_nodes(observed);
    for (const NodeName& node : tested.untestable) {
      if (platform_of(observed, node).ping_tests() != nullptr) tested.only_pings.insert(node);
    }
    tested.pinged = true;
    std::vector<verify::Path> wanted = verify::paths_to_test(spec, snapshot);
    std::erase_if(wanted, [&wish](const verify::Path& path) {
      return !wish.limit.empty() && !wish.limit.contains(path.from.node) &&
             !wish.limit.contains(path.to.node);
    });
    if (!wanted.empty()) listener.note(fmt::format("pinging {} paths", wanted.size()));
    tested.paths = run_pings(listener, observed, by_node(std::move(wanted)), runner);
    ask_again(listener, observed, tested.paths, runner);
    tested.apart = try_apart(listener, observed, tested.paths, wish.limit, runner);
  }
  if (wish.level >= VerifyLevel::rdma)
    tested.flows = run_flows(listener, observed, before, wish, runner, random);
  tested.bandwidth_judged = wish.level == VerifyLevel::perf;
  const verify::ReadingsByNode after = read_ports(listener, observed, runner);
  if (wish.level >= VerifyLevel::rdma) tested.roce_addresses = verify::roce_addresses(spec, after);
  tested.after = after;
  tested.counters = verify::compare_counters(spec, snapshot, before, after);
  tested.subnet_ports = verify::judge_subnet_ports(spec, snapshot, after, observed.registry);
  tested.stray_managers = verify::stray_managers(spec, snapshot, after);
  tested.network_differences = verify::network_differences(
      spec,
      observed.resources,
      snapshot,
      wish.level >= VerifyLevel::path ? verify::ComparedAt::switches_and_hosts
                                      : verify::ComparedAt::switches);
  if (wish.links || wish.odd) tested.links = read_links(listener, observed, runner);
  tested.nodes_compared = wish.odd;
  // Comes after the counters, which would count every link that this takes down.
  if (wish.failover) {
    tested.failovers = close_ports(listener, observed, wish.limit, runner);
    std::vector<verify::FailoverReport> untried = verify::untried_failovers(spec, snapshot);
    std::move(untried.begin(), untried.end(), std::back_inserter(tested.failovers));
    std::vector<verify::FailoverReport> rings =
        verify::ring_failovers(spec, snapshot, tested.paths);
    std::move(rings.begin(), rings.end(), std::back_inserter(tested.failovers));
    if (wish.lock) {
      const discovery::Evidence evidence{spec, snapshot};
      std::vector<verify::FailoverReport> managers = stop_managers(
          listener,
          observed,
          verify::judge_managers(spec, evidence, tested.subnet_ports),
          wish,
          runner,
          random);
      std::move(managers.begin(), managers.end(), std::back_inserter(tested.failovers));
    }
    if (tested.failovers.empty() && !spec.nodes.empty())
      tested.failovers.push_back(verify::nothing_to_fail_over(spec));
  }
  return verify::judge(spec, snapshot, tested, observed.of_resources);
}

verify::Report verify_fabric(
    Listener& listener,
    const Desired& desired,
    VerifySources sources,
    const VerifyWish& wish,
    remote::StepRunner* runner,
    Random& random) {
  Diagnostics of_resources;
  const discovery::Snapshot snapshot = observe(desired, std::move(sources.facts), of_resources);
  verify::WireEvidence wire = read_wire(listener, desired, &snapshot, sources.ways, runner);
  if (runner != nullptr) {
    return verify_now(
        listener,
        {desired.spec, snapshot, of_resources, desired.registry, desired.resources},
        *runner,
        wish,
        std::move(wire),
        random);
  }
  verify::Tested tested;
  tested.wire = std::move(wire);
  tested.network_differences = verify::network_differences(
      desired.spec, desired.resources, snapshot, verify::ComparedAt::switches);
  return verify::judge(desired.spec, snapshot, tested, of_resources);
}

ExitCode exit_code_of(const verify::Report& report) {
  ExitCode code = ExitCode::done;
  for (const Diagnostic& finding : report.findings) {
    if (finding.severity != Severity::error) continue;
    const bool is_unknown = finding.rule == "not-reachable" || verify::is_incomplete(finding);
    code = worse(code, is_unknown ? ExitCode::unreachable : ExitCode::not_verified);
  }
  return code;
}

}  // namespace fabric::workflow
