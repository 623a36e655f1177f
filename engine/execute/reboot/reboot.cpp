// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/reboot/reboot.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/check.hpp"

namespace fabric::execute {

namespace {

// A node that is up answers in milliseconds: often enough not to miss that it went down, though
// missing it does no harm.
constexpr Duration kPauseWhileUp{1'000};
constexpr Duration kPauseWhileDown{2'000};
constexpr Duration kPauseBeforeResend{2'000};
constexpr int kMostSends = 3;
// A command that failed is most likely not followed by a reboot, but only the boot_id says so.
constexpr Duration kDownAfterTrouble{10'000};
// One more boot than asked for happens (firmware that resets a card once more); two are a loop.
constexpr int kMostBoots = 2;

std::string_view name_of(const platform::Boot& boot) {
  return boot.uptime ? "mark" : "boot_id";
}

}  // namespace

BootProtocol::BootProtocol(platform::Boot before, TimePoint seen, plans::RebootDeadlines deadlines)
    : before_{std::move(before)}, seen_before_{seen}, deadlines_{std::move(deadlines)} {
  FABRIC_CHECK(!before_.mark.empty(), "a reboot can be proven only against a boot");
}

std::string BootProtocol::boot_text() const {
  return now_running_.uptime ? "mark " + now_running_.mark : now_running_.mark;
}

std::string_view BootProtocol::phase() const {
  switch (state_) {
    case State::sending:
      return kRebooting;
    case State::going_down:
      return "waiting for the node to go down";
    case State::coming_up:
      return kComingUp;
    case State::staying:
      return "watching whether it stays up";
    case State::ended:
      return "decided";
  }
  FABRIC_CHECK(false, "a state without a phase");
}

BootProtocol::Request BootProtocol::end(Verdict verdict, std::string detail) {
  state_ = State::ended;
  verdict_ = verdict;
  detail_ = std::move(detail);
  return {Want::end, Duration{0}};
}

BootProtocol::Request BootProtocol::begin(TimePoint now) {
  down_by_ = now + deadlines_.down;
  ++sends_;
  return {Want::send, Duration{0}};
}

BootProtocol::Request BootProtocol::watch(TimePoint now) {
  down_by_ = now + deadlines_.down;
  state_ = State::going_down;
  return ask_in(kPauseWhileUp);
}

BootProtocol::Request BootProtocol::sent(
    TimePoint now, remote::Outcome outcome, const std::string& trouble) {
  if (outcome == remote::Outcome::failed) {
    if (sends_ >= kMostSends) return end(Verdict::not_sent, trouble);
    ++sends_;
    return {Want::send, kPauseBeforeResend};
  }
  // Whether the command ran or its connection was cut: only the boot_id tells.
  state_ = State::going_down;
  trouble_ = trouble;
  if (outcome == remote::Outcome::succeeded && !trouble.empty()) {
    down_by_ = std::min(down_by_, now + kDownAfterTrouble);
  }
  return ask_in(kPauseWhileUp);
}

BootProtocol::Request BootProtocol::heard(
    TimePoint now, const std::optional<platform::Boot>& boot) {
  FABRIC_CHECK(state_ != State::sending && state_ != State::ended, "an answer to no question");
  if (!boot) return silent(now);
  if (!is_same(before_, seen_before_, *boot, now)) return another_boot(now, *boot);
  // The node's mark may have been wiped without a boot and made anew.
  before_ = *boot;
  seen_before_ = now;
  return still_the_old_boot(now);
}

// A mark that was only removed proves no boot: the system must have started since.
bool BootProtocol::is_same(
    const platform::Boot& known, TimePoint seen, const platform::Boot& boot, TimePoint now) const {
  if (boot.mark == known.mark) return true;
  return boot.uptime && *boot.uptime >= now - seen;
}

BootProtocol::Request BootProtocol::still_the_old_boot(TimePoint now) {
  // Silence before was the connection, not the node.
  state_ = State::going_down;
  if (now < down_by_) return ask_in(kPauseWhileUp);
  return end(
      Verdict::not_rebooted,
      trouble_.empty()
          ? fmt::format("{} is still {}", name_of(before_), before_.mark)
          : fmt::format("{}; {} is still {}", trouble_, name_of(before_), before_.mark));
}

BootProtocol::Request BootProtocol::another_boot(TimePoint now, const platform::Boot& boot) {
  const bool is_known = boots_ > 0 && is_same(now_running_, seen_running_, boot, now);
  seen_running_ = now;
  if (is_known) {
    now_running_ = boot;
    if (state_ != State::staying) {
      // It was silent for a moment and is the same boot: the window starts again.
      state_ = State::staying;
      return ask_in(deadlines_.stable);
    }
    return end(
        Verdict::rebooted,
        boots_ == 1
            ? std::string{}
            : fmt::format(
                  "the node booted {} times; the last {} is {}", boots_, name_of(boot), boot.mark));
  }
  const platform::Boot previous = std::exchange(now_running_, boot);
  if (++boots_ > kMostBoots) {
    return end(
        Verdict::unstable,
        fmt::format(
            "the node booted {} times; the last {}s are {} and {}",
            boots_,
            name_of(boot),
            previous.mark,
            boot.mark));
  }
  if (state_ == State::going_down) up_by_ = now + deadlines_.up;
  state_ = State::staying;
  return ask_in(deadlines_.stable);
}

BootProtocol::Request BootProtocol::silent(TimePoint now) {
  if (state_ == State::going_down) {
    up_by_ = now + deadlines_.up;
  } else if (now >= up_by_) {
    return end(
        Verdict::lost,
        fmt::format(
            "the node does not answer {} after it went down", format_duration(deadlines_.up)));
  }
  state_ = State::coming_up;
  return ask_in(kPauseWhileDown);
}

}  // namespace fabric::execute
