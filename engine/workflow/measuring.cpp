// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/measuring.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/provider/node_platforms.hpp"
#include "engine/verify/flows/flow_choice.hpp"
#include "engine/verify/flows/measured_flow.hpp"

namespace fabric::workflow {

namespace {

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

}  // namespace

// NOLINTNEXTLINE(readability-function-size): what a measurement needs
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
        std::count_if(
            flows.begin(),
            flows.end(),
            [](const verify::Flow& flow) { return flow.why_not.empty(); }),
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

}  // namespace fabric::workflow
