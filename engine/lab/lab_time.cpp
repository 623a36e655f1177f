// SPDX-License-Identifier: Apache-2.0
// Power, boots and the monitor.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/lab/lab_impl.hpp"

namespace fabric::lab {
namespace {

constexpr int kSlowBootFactor = 10;
constexpr std::uint64_t kSecondBootWithin = 30'000;  // milliseconds

}  // namespace

Machine* Lab::Impl::find(const NodeName& node) {
  const auto found = machines.find(node);
  return found == machines.end() ? nullptr : found->second.get();
}

const Machine* Lab::Impl::find(const NodeName& node) const {
  const auto found = machines.find(node);
  return found == machines.end() ? nullptr : found->second.get();
}

Machine& Lab::Impl::hand(const NodeName& node) {
  Machine& machine = *machines.at(node);
  world.take_in_hand(machine);
  touched.insert(node);
  return machine;
}

std::optional<TimePoint> Lab::Impl::next_of(const HostLife& life, const Machine& machine) const {
  if (life.power == Power::going_down || life.power == Power::booting) return life.event;
  if (life.power != Power::up) return std::nullopt;
  std::optional<TimePoint> event = machine.next_event();
  // Events during a pause happen when the host goes on.
  const TimePoint paused = TimePoint{} + life.clocks.paused_at;
  const TimePoint resumed = paused + life.clocks.paused_for;
  if (event && *event >= paused && *event < resumed) event = resumed;
  if (!life.boots_again) return event;
  return event ? std::min(*event, *life.boots_again) : *life.boots_again;
}

void Lab::Impl::note_event(const NodeName& node) const {
  events.set(node, next_of(lives.at(node), *machines.at(node)));
}

// Asked for before every step: only hosts that were used since are looked at.
std::optional<std::pair<TimePoint, NodeName>> Lab::Impl::next() const {
  if (all_touched) {
    for (const auto& [node, life] : lives)
      note_event(node);
  } else {
    for (const NodeName& node : touched)
      note_event(node);
  }
  all_touched = false;
  touched.clear();
  return events.next();
}

void Lab::Impl::happen(const NodeName& node, TimePoint at) {
  begin();
  HostLife& life = lives.at(node);
  Machine& machine = hand(node);
  machine.now = std::max(machine.now, at);
  if (life.power == Power::up && life.boots_again && *life.boots_again <= at) {
    life.boots_again.reset();
    loses_power(node, at);
    return tell(node, at, Fault::boots_twice);
  }
  if (life.power == Power::up) return event_on(node);
  if (life.power == Power::going_down) {
    machine.write_back();
    return goes_down(node, at);
  }
  life.power = Power::up;
  machine.boot(world);
  settle_links();
  if (life.fault == Fault::boots_twice) {
    life.fault = Fault::none;
    life.boots_again =
        at + Duration{static_cast<std::int64_t>(1 + random.below(kSecondBootWithin))};
  }
  tell(node, at, Fault::none);
}

void Lab::Impl::tell(const NodeName& node, TimePoint at, Fault struck, bool commanded) const {
  if (watcher) watcher({at, node, lives.at(node).power, struck, commanded});
}

bool Lab::Impl::is_paused(const HostLife& life) const {
  const Duration at = now.time_since_epoch();
  return at >= life.clocks.paused_at && at < life.clocks.paused_at + life.clocks.paused_for;
}

void Lab::Impl::set_clocks(Machine& machine, HostLife& life) const {
  LabClocks& clocks = life.clocks;
  const Duration at = now.time_since_epoch();
  if (clocks.set_by != Duration{0} && at >= clocks.set_at) {
    machine.epoch += clocks.set_by.count();
    clocks.set_by = Duration{0};
  }
  if (clocks.paused_for == Duration{0} || at < clocks.paused_at + clocks.paused_for) return;
  if (machine.booted.time_since_epoch() <= clocks.paused_at) {
    machine.stood_still += clocks.paused_for;
    machine.epoch -= clocks.paused_for.count();
  }
  clocks.paused_for = Duration{0};
}

void Lab::Impl::settle_links() {
  const World::Still still{world};
  for (const auto& [node, machine] : machines) {
    if (!machine->os_running) continue;
    const auto at = std::max(now, machine->now).time_since_epoch();
    machine->settle(world, machine->epoch + at.count());
  }
  all_touched = true;
}

void Lab::Impl::loses_power(const NodeName& node, TimePoint at) {
  hand(node).lose_unsynced();
  goes_down(node, at);
}

void Lab::Impl::goes_down(const NodeName& node, TimePoint at) {
  HostLife& life = lives.at(node);
  hand(node).os_running = false;
  std::erase_if(prompts, [&](const auto& entry) { return entry.second.node == node; });
  life.on_the_way.clear();
  if (life.fault == Fault::no_boot) {
    life.power = Power::dead;
  } else {
    start_boot(node, at);
  }
  watch(nullptr);
  settle_links();
  tell(node, at, Fault::none);
}

void Lab::Impl::start_boot(const NodeName& node, TimePoint at) {
  HostLife& life = lives.at(node);
  const Duration boot_time = hand(node).boot_time();
  life.power = Power::booting;
  life.event = at + (life.fault == Fault::slow_boot ? kSlowBootFactor * boot_time : boot_time);
}

// A host that shuts down counts as down: what ran on it is being stopped.
void Lab::Impl::watch(const NodeName* commanded) {
  const auto down = [&](const NodeName& node) {
    return lives.at(node).power != Power::up;
  };
  const auto count = std::count_if(
      lives.begin(), lives.end(), [](const auto& life) { return life.second.power != Power::up; });
  monitor.most_down_at_once =
      std::max(monitor.most_down_at_once, static_cast<std::uint32_t>(count));
  for (const auto& [a, b] : ring_neighbours) {
    const bool told = commanded != nullptr && (*commanded == a || *commanded == b);
    if (!told || !down(a) || !down(b)) continue;
    const std::string pair = fmt::format("{} {}", a.str(), b.str());
    std::vector<std::string>& seen = monitor.neighbours_down_together;
    if (std::find(seen.begin(), seen.end(), pair) == seen.end()) seen.push_back(pair);
  }
}

void Lab::advance(TimePoint now) {
  while (const std::optional<std::pair<TimePoint, NodeName>> event = impl_->next()) {
    if (event->first > now) break;
    impl_->now = std::max(impl_->now, event->first);
    impl_->happen(event->second, event->first);
  }
  impl_->now = std::max(impl_->now, now);
}

std::optional<TimePoint> Lab::next_event() const {
  const std::optional<std::pair<TimePoint, NodeName>> event = impl_->next();
  return event ? std::optional{event->first} : std::nullopt;
}

}  // namespace fabric::lab
