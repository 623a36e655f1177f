// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/step_queue.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace fabric::ssh {

namespace {

// Longer than any run; keeps additions to the clock from overflowing.
constexpr Duration kLongest{1'000'000'000};

}  // namespace

void StepQueue::add(Lane& lane, remote::StepRequest request, TimePoint now) {
  if (lane.place.empty() && !lane.busy) lane.place.push_back(&lane);
  std::list<remote::StepResult> result(1);
  result.front().ticket = request.ticket;
  lane.steps.push_back({std::move(request), std::move(result)});
  go_on(lane, now);
}

// The next step of a lane, if there is one and none is running.
void StepQueue::go_on(Lane& lane, TimePoint now) noexcept {
  if (lane.busy || lane.steps.empty()) return;
  lane.busy = true;
  const auto* pause = std::get_if<remote::step::Pause>(&lane.steps.front().request.step);
  if (pause != nullptr) lane.pause_until = now + std::min(pause->duration, kLongest);
  std::list<Lane*>& among = pause != nullptr ? pausing_ : ready_;
  among.splice(among.end(), lane.place);
}

Lane& StepQueue::take() noexcept {
  Lane& lane = *ready_.front();
  lane.place.splice(lane.place.end(), ready_, ready_.begin());
  return lane;
}

void StepQueue::finish(Lane& lane, TimePoint now) noexcept {
  results_.splice(results_.end(), lane.steps.front().result);
  lane.steps.pop_front();
  lane.busy = false;
  go_on(lane, now);
}

void StepQueue::end_pauses(TimePoint now) noexcept {
  std::list<Lane*> ended;
  for (auto each = pausing_.begin(); each != pausing_.end();) {
    const auto here = each++;
    if (*(*here)->pause_until <= now) ended.splice(ended.end(), pausing_, here);
  }
  while (!ended.empty()) {
    Lane& lane = *ended.front();
    lane.place.splice(lane.place.end(), ended, ended.begin());
    lane.pause_until.reset();
    lane.steps.front().result.front().ended = now;
    finish(lane, now);
  }
}

Duration StepQueue::until_next_pause(TimePoint now, Duration at_most) const {
  for (const Lane* lane : pausing_)
    at_most = std::min(at_most, *lane->pause_until - now);
  return std::max(at_most, Duration::zero());
}

remote::StepResult StepQueue::take_result() {
  remote::StepResult result = std::move(results_.front());
  results_.pop_front();
  return result;
}

}  // namespace fabric::ssh
