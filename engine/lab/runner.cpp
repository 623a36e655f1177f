// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/runner.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/lab/machine/machine.hpp"
#include "engine/remote/perform.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::lab {
namespace {

constexpr Duration kLocalCommandTakes{50};
// A refused connection is known after one round trip.
constexpr Duration kRefusedTakes{200};

// The clock of the waiting machine: behind true time by the time that it has slept.
class VirtualClock final : public Clock {
 public:
  TimePoint now() const override { return time_ - behind_; }
  std::int64_t unix_milliseconds() const override {
    return kEpochMilliseconds + time_.time_since_epoch().count();
  }
  TimePoint time() const { return time_; }
  void move_to(TimePoint time) { time_ = std::max(time_, time); }
  void fall_behind(Duration by) { behind_ += by; }

 private:
  TimePoint time_{};
  Duration behind_{0};
};

struct Active {
  remote::StepResult result;
  TimePoint ends;
  std::uint64_t command = 0;  // ExecResult::number
  Duration timeout{0};
};

struct NodeQueue {
  std::optional<Active> active;
  std::deque<remote::StepRequest> waiting;
};

}  // namespace

struct Runner::Impl {
  Impl(Lab& simulated, LocalFiles here) : lab{simulated}, files{std::move(here)} {}

  Lab& lab;
  LocalFiles files;
  VirtualClock clock;
  const remote::Step* at_work = nullptr;
  std::map<NodeName, NodeQueue> queues;

  // Performs the step now; what came of it is told when it ends.
  Active begin(const remote::StepRequest& request) {
    Active active;
    active.result.ticket = request.ticket;
    if (const auto* pause = std::get_if<remote::step::Pause>(&request.step)) {
      active.ends = clock.time() + pause->duration;
      return active;
    }
    if (const auto* here = std::get_if<remote::step::RunHere>(&request.step)) {
      at_work = &request.step;
      conclude(active, request.node, here->command.timeout, run_here(here->command.argv));
      at_work = nullptr;
      return active;
    }
    const bool reachable = lab.accepts_connections(request.node) ||
                           (!wants_new_session(request.step) && lab.keeps_sessions(request.node));
    if (!reachable) {
      active.ends = clock.time() + kRefusedTakes;
      fail(
          active,
          remote::Outcome::failed,
          ErrorCode::unreachable,
          fmt::format("{}: connection refused", request.node.str()));
      return active;
    }
    const Login login = lab.login(request.node);
    Duration timeout{0};
    const Result<Work> work = work_of(request.step, login, timeout);
    if (!work) {
      active.ends = clock.time();
      fail(active, remote::Outcome::failed, work.error().code, work.error().message);
      return active;
    }
    at_work = &request.step;
    const ExecResult ran = lab.perform(request.node, login.user, *work);
    at_work = nullptr;
    active.command = ran.number;
    active.timeout = timeout;
    conclude(active, request.node, timeout, ran);
    for (const ExecResult& amended : lab.take_amended())
      amend(amended);
    return active;
  }

  static bool wants_new_session(const remote::Step& step) {
    if (const auto* talk = std::get_if<remote::step::Converse>(&step)) return talk->fresh_session;
    const auto* run = std::get_if<remote::step::Run>(&step);
    return run != nullptr && run->fresh_session;
  }

  void amend(const ExecResult& amended) {
    for (auto& [node, queue] : queues) {
      if (queue.active && queue.active->command == amended.number)
        conclude(*queue.active, node, queue.active->timeout, amended);
    }
  }

  // The machine's work for a step; a machine that can't do it reports that itself.
  Result<Work> work_of(const remote::Step& step, const Login& login, Duration& timeout) const {
    if (const auto* talk = std::get_if<remote::step::Converse>(&step)) {
      timeout = talk->timeout;
      return Work{*talk};
    }
    remote::Command command = FABRIC_TRY(command_of(step));
    if (login.sudo) command = remote::with_sudo(std::move(command));
    timeout = command.timeout;
    return Work{CommandLine{remote::command_line(command.argv), command.standard_input}};
  }

  Result<remote::Command> command_of(const remote::Step& step) const {
    const auto* copy = std::get_if<remote::step::CopyFile>(&step);
    if (copy == nullptr) return remote::command_for(step);
    if (!files) return Error{ErrorCode::not_found, fmt::format("{}: no such file", copy->source)};
    return remote::command_for(*copy, FABRIC_TRY(files(copy->source)));
  }

  // The machine that fabric runs on has Slurm's way to reboot a node, and to drain it.
  ExecResult run_here(const remote::Argv& argv) {
    ExecResult result;
    result.took = kLocalCommandTakes;
    constexpr std::string_view kExit = "exit ";
    if (argv.size() == 3 && argv[0] == "sh" && argv[1] == "-c" && argv[2].starts_with(kExit)) {
      result.exit_status = std::atoi(std::string{argv[2]}.c_str() + kExit.size());
      return result;
    }
    const std::string verb = argv.size() > 2 && argv[0] == "scontrol" ? argv[1] : "";
    if (verb != "reboot" && verb != "update") {
      result.exit_status = 127;
      result.standard_error = fmt::format("sh: 1: {}: not found\n", argv.front().text());
      return result;
    }
    constexpr std::string_view kNode = "NodeName=";
    const std::string& word = verb == "reboot" ? argv.back() : argv[2];
    const bool named = verb == "reboot" || word.starts_with(kNode);
    const Result<NodeName> node = NodeName::parse(
        named && verb == "update" ? std::string_view{word}.substr(kNode.size()) : word);
    const std::vector<NodeName> nodes = lab.nodes();
    if (!named || !node || std::find(nodes.begin(), nodes.end(), *node) == nodes.end()) {
      result.exit_status = 1;
      result.standard_error = verb == "reboot"
                                  ? "scontrol_reboot error: Invalid node name specified\n"
                                  : "slurm_update error: Invalid node name specified\n";
      return result;
    }
    if (verb == "reboot" && lab.accepts_connections(*node))
      lab.perform(*node, "root", RebootOrder{});
    return result;
  }

  static void fail(Active& active, remote::Outcome outcome, ErrorCode code, std::string message) {
    active.result.outcome = outcome;
    active.result.error = Error{code, std::move(message)};
  }

  void conclude(
      Active& active, const NodeName& node, Duration timeout, const ExecResult& ran) const {
    active.ends = clock.time() + ran.took;
    if (ran.not_run) {
      fail(active, remote::Outcome::failed, ran.not_run->code, ran.not_run->message);
    } else if (ran.delivery == Delivery::stall || ran.took > timeout) {
      active.ends = clock.time() + timeout;
      fail(
          active,
          remote::Outcome::unknown,
          ErrorCode::timed_out,
          fmt::format("{}: no answer within {}", node.str(), format_duration(timeout)));
    } else if (ran.delivery != Delivery::normal || ran.host_down) {
      fail(
          active,
          remote::Outcome::unknown,
          ErrorCode::maybe_applied,
          fmt::format("{}: the connection was lost while the command ran", node.str()));
    } else {
      active.result.output = {ran.exit_status, ran.standard_output, ran.standard_error};
      active.result.replies = ran.replies;
    }
  }

  void start_waiting(NodeQueue& queue) {
    if (queue.active || queue.waiting.empty()) return;
    queue.active = begin(queue.waiting.front());
    queue.waiting.pop_front();
  }

  // The node whose step ends first; ties in order of name.
  std::map<NodeName, NodeQueue>::iterator first_to_end() {
    auto first = queues.end();
    for (auto queue = queues.begin(); queue != queues.end(); ++queue) {
      if (!queue->second.active) continue;
      if (first == queues.end() || queue->second.active->ends < first->second.active->ends)
        first = queue;
    }
    return first;
  }

  void move_to(TimePoint now) {
    clock.move_to(now);
    lab.advance(clock.time());
  }
};

Runner::Runner(Lab& lab, LocalFiles files) : impl_{std::make_unique<Impl>(lab, std::move(files))} {}
Runner::~Runner() = default;

void Runner::start(remote::StepRequest request) {
  NodeQueue& queue = impl_->queues[request.node];
  queue.waiting.push_back(std::move(request));
  impl_->start_waiting(queue);
}

std::optional<remote::StepResult> Runner::wait_any(Duration patience) {
  const auto first = impl_->first_to_end();
  FABRIC_CHECK(first != impl_->queues.end(), "waiting for steps although none is running");
  const TimePoint limit = impl_->clock.time() + patience;
  if (first->second.active->ends > limit) {
    impl_->move_to(limit);
    return std::nullopt;
  }
  impl_->move_to(first->second.active->ends);
  remote::StepResult result = std::move(first->second.active->result);
  result.ended = impl_->clock.now();
  first->second.active.reset();
  impl_->start_waiting(first->second);
  return result;
}

void Runner::stand_still(Duration duration, bool clock_stands_still) {
  if (clock_stands_still) impl_->clock.fall_behind(duration);
  impl_->move_to(impl_->clock.time() + duration);
}

TimePoint Runner::time() const {
  return impl_->clock.time();
}

const remote::Step* Runner::at_work() const {
  return impl_->at_work;
}

void Runner::forget() {
  impl_->queues.clear();
}

std::optional<remote::PeerIdentity> Runner::identity(const NodeName& node) const {
  const std::string identity = impl_->lab.identity(node);
  if (identity.empty()) return std::nullopt;
  return remote::PeerIdentity{"SHA256:lab" + identity};
}

const Clock& Runner::clock() const {
  return impl_->clock;
}

}  // namespace fabric::lab
