// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/lease_watch.hpp"

#include <fmt/format.h>

namespace fabric::rehearse {

namespace {

// The greatest error of a clock of the lab, and of rounding to whole seconds.
constexpr int kDriftPart = 10;
constexpr Duration kWholeSeconds{3'000};

}  // namespace

TimePoint LeaseWatch::at_least(const Seen& seen) {
  return seen.from + seen.lock.length - seen.lock.length / kDriftPart - kWholeSeconds;
}

TimePoint LeaseWatch::at_most(const NodeName& node, const Seen& seen) const {
  const auto host = reality_.hosts.find(node.str());
  const Duration paused =
      host == reality_.hosts.end() ? Duration{0} : host->second.clocks.paused_for;
  return seen.from + seen.lock.length + seen.lock.length / kDriftPart + kWholeSeconds + paused;
}

void LeaseWatch::look(
    const NodeName& node, const SimulatedPlatform& simulated, TimePoint at, const std::string& by) {
  std::optional<SimulatedLock> lock = simulated.lock(lab_, node);
  const auto before = seen_.find(node);
  const bool was_locked = before != seen_.end();
  if (lock ? was_locked && before->second.lock.text == lock->text : !was_locked) return;
  const std::string run = lock ? lock->run : "";
  if (was_locked && before->second.lock.run != run && before->second.lock.run != by &&
      !ended_.contains(before->second.lock.run) && at < at_least(before->second)) {
    violations_.push_back(fmt::format(
        "{}: the lock of {} goes to {} while its lease is in force",
        node.str(),
        before->second.lock.run,
        by));
  }
  if (lock) {
    seen_.insert_or_assign(node, Seen{*std::move(lock), at});
  } else {
    seen_.erase(before);
  }
}

void LeaseWatch::changed(
    const NodeName& node, TimePoint at, const std::string& run, const remote::Step& step) {
  const auto simulated = fenced_.find(node);
  if (simulated == fenced_.end()) return;
  look(node, *simulated->second, at, run);
  if (!remote::may_change(step))
    violations_.push_back(node.str() + ": a step that may only read has changed something");
  if (simulated->second->is_about_lock(step)) return;
  const auto lease = seen_.find(node);
  if (lease == seen_.end() || lease->second.lock.run != run) {
    violations_.push_back(fmt::format(
        "{}: {} changes it by {} without its lock", node.str(), run, remote::kind_of(step)));
  } else if (at > at_most(node, lease->second)) {
    violations_.push_back(fmt::format(
        "{}: {} changes it by {} after its lease", node.str(), run, remote::kind_of(step)));
  }
}

void LeaseWatch::refused(
    const NodeName& node, TimePoint sent, TimePoint at, const std::string& run) {
  const auto simulated = fenced_.find(node);
  const auto lease = seen_.find(node);
  if (simulated == fenced_.end() || lease == seen_.end()) return;
  const std::optional<SimulatedLock> lock = simulated->second->lock(lab_, node);
  const bool is_theirs = lock && lock->run == run && lock->text == lease->second.lock.text;
  const bool in_force = sent >= lease->second.from && at < at_least(lease->second);
  if (is_theirs && in_force) {
    violations_.push_back(
        fmt::format("{}: refuses {} while its lease is in force", node.str(), run));
  }
}

void LeaseWatch::booted(const NodeName& node, TimePoint at) {
  if (const auto lease = seen_.find(node); lease != seen_.end()) lease->second.from = at;
}

}  // namespace fabric::rehearse
