// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/lease/leases.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "engine/execute/lease/read_leases.hpp"
#include "engine/model/node_set_text.hpp"

namespace fabric::execute {

namespace {

constexpr int kAttempts = 3;
constexpr Duration kBetween{1'000};
// The time of the way to a node before its clock starts to count.
constexpr Duration kMargin{60'000};
// The greatest part by which a node's clock may be faster than this machine's. NTP slews the two by
// 500 ppm at most; adjtimex(2) allows a tenth, and virtual machines have been seen with it. Whole
// seconds are counted on the node.
constexpr int kDriftPart = 10;
constexpr Duration kWholeSeconds{2'000};

// The part of a lease of this length that is relied on, so that ours is over before the node's is.
Duration counted(Duration length) {
  return length - length / kDriftPart - kWholeSeconds;
}

// The length of a lease of which `needed` is relied on.
Duration length_for(Duration needed) {
  return (needed + kWholeSeconds) * kDriftPart / (kDriftPart - 1) + Duration{1};
}

Error with_node(const NodeName& node, const Error& error) {
  return error.message.starts_with(node.str()) ? error : with_context(error, node.str());
}

Error in_the_way(const Lease& lease) {
  return {
      ErrorCode::locked,
      fmt::format(
          "locked by {} (run {}) for {} now; the lock ends by itself in {} unless that run renews "
          "it",
          lease.holder.who,
          lease.holder.run,
          format_duration(std::max(lease.age, Duration{0})),
          format_duration(std::max(lease.left, Duration{0})))};
}

// One node's way to its lease: asked, after a lost connection asked again, over a dead run's lease
// if there is one; and read back, because a tool can say anything.
class Taking {
 public:
  Taking(const LeaseTerms& terms, const NodeName& node, const platform::NodeLock& lock)
      : terms_{terms}, node_{node}, lock_{lock} {}

  remote::Step step() const { return lock_.take(terms_.holder, terms_.length, over_); }

  // The next step; none when it has ended, with or without a failure.
  std::optional<remote::Step> next(const remote::StepResult& result) {
    if (std::exchange(pausing_, false)) return step();
    if (result.outcome != remote::Outcome::succeeded) {
      if (result.outcome == remote::Outcome::unknown) may_be_taken_ = true;
      // Taking twice is taking once.
      if (++attempts_ < kAttempts) {
        pausing_ = true;
        reading_back_ = false;
        return remote::step::Pause{kBetween};
      }
      return fail(result.error);
    }
    const Result<LeaseAnswer> answer = lock_.answer(result);
    if (!answer) return fail(answer.error());
    if (answer->taken) {
      may_be_taken_ = true;
      reading_back_ = true;
      return lock_.read();
    }
    if (answer->found && answer->found->holder == terms_.holder) return std::nullopt;
    const bool has_come =
        answer->found && answer->found->is_live() && answer->found->holder.run != over_;
    if (!answer->found || (reading_back_ && !has_come)) {
      return fail(
          {ErrorCode::denied,
           "the node reported that its lock was taken, but the lock that was read back is "
           "another"});
    }
    may_be_taken_ = false;
    // Another run has come in between, while this machine stood still.
    if (reading_back_) return fail(in_the_way(*answer->found));
    if (over_.empty() && terms_.has_ended && terms_.has_ended(answer->found->holder)) {
      over_ = answer->found->holder.run;
      return step();
    }
    return fail(in_the_way(*answer->found));
  }

  const std::optional<Error>& failure() const { return failure_; }
  // The lock is there, or a step that takes it was sent and its result is unknown.
  bool may_be_taken() const { return may_be_taken_; }

 private:
  std::optional<remote::Step> fail(const Error& error) {
    failure_ = with_node(node_, error);
    return std::nullopt;
  }

  const LeaseTerms& terms_;
  const NodeName& node_;
  const platform::NodeLock& lock_;
  std::string over_;
  int attempts_ = 0;
  bool pausing_ = false;
  bool reading_back_ = false;
  bool may_be_taken_ = false;
  std::optional<Error> failure_;
};

// The lock of another run is a better reason than a node that does not answer.
Error worst_of(const std::map<NodeName, Taking>& nodes) {
  const Error* worst = nullptr;
  std::size_t count = 0;
  for (const auto& [node, taking] : nodes) {
    if (!taking.failure()) continue;
    ++count;
    const bool is_worse = worst == nullptr || (worst->code != ErrorCode::locked &&
                                               taking.failure()->code == ErrorCode::locked);
    if (is_worse) worst = &*taking.failure();
  }
  Error error = *worst;
  if (count > 1) error.message += fmt::format(" (and {} more)", count - 1);
  return error;
}

}  // namespace

const platform::Fencing* FencedRunner::fencing(const NodeName& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? nullptr : found->second->fencing();
}

void FencedRunner::start(remote::StepRequest request) {
  const platform::Fencing* fence =
      remote::may_change(request.step) ? fencing(request.node) : nullptr;
  if (fence == nullptr) return runner_.start(std::move(request));
  const auto* here = std::get_if<remote::step::RunHere>(&request.step);
  if (here == nullptr) {
    request.step = fence->while_leased(run_, std::move(request.step));
    return runner_.start(std::move(request));
  }
  remote::Step nothing =
      nodes_.at(request.node)->command_step({{"true"}, {}, here->command.timeout});
  remote::StepRequest ask{
      request.ticket, request.node, fence->while_leased(run_, std::move(nothing))};
  asked_first_.insert_or_assign(request.ticket, std::move(request));
  runner_.start(std::move(ask));
}

std::optional<remote::StepResult> FencedRunner::wait_any(Duration patience) {
  std::optional<remote::StepResult> result = runner_.wait_any(patience);
  const auto asked = result ? asked_first_.find(result->ticket) : asked_first_.end();
  if (asked == asked_first_.end()) return result;
  remote::StepRequest request = std::move(asked->second);
  asked_first_.erase(asked);
  // Whatever became of the question, no change was sent yet.
  if (result->outcome == remote::Outcome::unknown) result->outcome = remote::Outcome::failed;
  const bool may_go =
      result->outcome == remote::Outcome::succeeded && result->output.exit_status == 0;
  if (!may_go) return result;
  runner_.start(std::move(request));
  return std::nullopt;
}

bool FencedRunner::is_refusal(const NodeName& node, const remote::StepResult& result) const {
  const platform::Fencing* fence = fencing(node);
  return fence != nullptr && fence->is_refusal(result);
}

Leases::Leases(
    LeaseTerms terms, platform::NodePlatforms nodes, remote::StepRunner& runner, Random& random)
    : terms_{std::move(terms)},
      nodes_{std::move(nodes)},
      runner_{runner, terms_.patience},
      random_{random},
      fenced_{nodes_, terms_.holder.run, runner} {}

std::vector<NodeName> with_lock(const platform::NodePlatforms& nodes) {
  std::vector<NodeName> lockable;
  for (const auto& [node, host] : nodes) {
    if (host->node_lock() != nullptr) lockable.push_back(node);
  }
  return lockable;
}

bool Leases::is_lockable(const NodeName& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() || found->second->node_lock() != nullptr;
}

const platform::NodeLock& Leases::lock(const NodeName& node) const {
  return *nodes_.at(node)->node_lock();
}

Result<void> Leases::take() {
  const std::vector<NodeName> lockable = with_lock(nodes_);
  std::map<NodeName, Taking> taking;
  for (const NodeName& node : lockable)
    taking.try_emplace(node, terms_, node, lock(node));
  const TimePoint asked = now();
  ask_nodes(
      lockable,
      runner_,
      random_,
      [&](const NodeName& node) { return taking.at(node).step(); },
      [&](const NodeName& node, const remote::StepResult& result) {
        return taking.at(node).next(result);
      });
  bool failed = false;
  for (const auto& [node, each] : taking) {
    failed = failed || each.failure();
    if (!each.failure() || each.may_be_taken())
      held_.emplace(node, Held{asked + counted(terms_.length), asked, {}});
  }
  if (!failed) return {};
  Error error = worst_of(taking);
  if (const std::vector<NodeName> left = release(); !left.empty()) {
    error.message += fmt::format(
        "; the lock of {} may have been taken all the same and could not be given up: it ends by "
        "itself within {}",
        fold(left),
        format_duration(terms_.length));
  }
  return error;
}

std::vector<NodeName> Leases::release() {
  std::vector<NodeName> held, left;
  std::map<NodeName, int> attempts;
  for (const auto& [node, lease] : held_)
    held.push_back(node);
  ask_nodes(
      held,
      runner_,
      random_,
      [this](const NodeName& node) { return lock(node).release(terms_.holder.run); },
      [&](const NodeName& node, const remote::StepResult& result) -> std::optional<remote::Step> {
        const bool answered =
            result.outcome == remote::Outcome::succeeded && lock(node).answer(result).has_value();
        if (answered) return std::nullopt;
        if (result.outcome == remote::Outcome::unknown && ++attempts[node] < kAttempts)
          return lock(node).release(terms_.holder.run);
        left.push_back(node);
        return std::nullopt;
      });
  held_.clear();
  std::sort(left.begin(), left.end());
  return left;
}

bool Leases::covers(const NodeName& node, Duration needed) const {
  if (!is_lockable(node)) return true;
  const auto found = held_.find(node);
  return found != held_.end() && now() + needed < found->second.until;
}

std::vector<NodeName> Leases::due() {
  if (now() < look_again_) return {};
  const Duration third = terms_.length / 3;
  std::vector<NodeName> nodes;
  TimePoint earliest = now();
  for (const auto& [node, lease] : held_) {
    if (now() - lease.tried > third) nodes.push_back(node);
    earliest = std::min(earliest, lease.tried);
  }
  look_again_ = earliest + third;
  return nodes;
}

remote::Step Leases::renewal(const NodeName& node, Duration needed) {
  Held& lease = held_[node];
  const Duration length = std::max(terms_.length, length_for(needed + kMargin));
  lease.tried = now();
  lease.asked_for = now() + counted(length);
  // Others send it.
  remote::Step step = lock(node).take(terms_.holder, length, {});
  remote::limit(step, terms_.patience);
  return step;
}

void Leases::lost(const NodeName& node) {
  if (const auto found = held_.find(node); found != held_.end()) found->second.until = now();
}

Result<void> Leases::renewed(const NodeName& node, const remote::StepResult& result) {
  if (result.outcome != remote::Outcome::succeeded) return with_node(node, result.error);
  const Result<LeaseAnswer> answer = lock(node).answer(result);
  if (!answer) return with_node(node, answer.error());
  if (!answer->taken) {
    held_.erase(node);
    return with_node(
        node,
        answer->found
            ? in_the_way(*answer->found)
            : Error{ErrorCode::locked, "the node did not confirm that the lock is still held"});
  }
  Held& lease = held_.at(node);
  lease.until = lease.asked_for;
  return {};
}

}  // namespace fabric::execute
