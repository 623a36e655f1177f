// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/reboot/reboot.hpp"

#include "tests/support/catch.hpp"

using namespace fabric;
using namespace fabric::execute;

namespace {

const std::string kOld = "00000000-0000-4000-8000-000000000001";
const std::string kNew = "00000000-0000-4000-8000-000000000002";
const std::string kNewer = "00000000-0000-4000-8000-000000000003";
const std::string kNewest = "00000000-0000-4000-8000-000000000004";
constexpr plans::RebootDeadlines kDeadlines{Duration{120'000}, Duration{900'000}, Duration{3'000}};

using Want = BootProtocol::Want;
using Verdict = BootProtocol::Verdict;

// A protocol after the command was sent without complaint.
struct Boot {
  BootProtocol protocol{{kOld}, TimePoint{}, kDeadlines};
  TimePoint now{};

  Boot() {
    CHECK(protocol.begin(now).want == Want::send);
    CHECK(protocol.sent(now, remote::Outcome::unknown, "connection lost").want == Want::ask);
  }
  Want at(std::int64_t seconds, std::optional<std::string> boot_id) {
    now = TimePoint{Duration{seconds * 1'000}};
    if (!boot_id) return protocol.heard(now, std::nullopt).want;
    return protocol.heard(now, platform::Boot{*std::move(boot_id)}).want;
  }
};

}  // namespace

TEST_CASE("a node that goes down and comes back with another boot_id has rebooted", "[execute]") {
  Boot boot;
  CHECK(boot.at(1, kOld) == Want::ask);
  CHECK(boot.protocol.phase() == "waiting for the node to go down");
  CHECK(boot.at(2, {}) == Want::ask);
  CHECK(boot.protocol.phase() == "waiting for the node to come back");
  CHECK(
      boot.protocol.heard(TimePoint{Duration{60'000}}, platform::Boot{kNew}).pause ==
      kDeadlines.stable);
  CHECK(boot.protocol.phase() == "watching whether it stays up");
  CHECK(boot.at(63, kNew) == Want::end);
  CHECK(boot.protocol.verdict() == Verdict::rebooted);
  CHECK(boot.protocol.boot_text() == kNew);
  CHECK(boot.protocol.detail().empty());
}

TEST_CASE("going down may be missed: the boot_id tells", "[execute]") {
  Boot boot;
  CHECK(boot.at(5, kNew) == Want::ask);
  CHECK(boot.at(8, kNew) == Want::end);
  CHECK(boot.protocol.verdict() == Verdict::rebooted);
}

TEST_CASE("the same boot_id means not rebooted, silence in between or not", "[execute]") {
  Boot boot;
  CHECK(boot.at(10, {}) == Want::ask);
  CHECK(boot.at(20, kOld) == Want::ask);
  CHECK(boot.at(119, kOld) == Want::ask);
  CHECK(boot.at(120, kOld) == Want::end);
  CHECK(boot.protocol.verdict() == Verdict::not_rebooted);
  CHECK(boot.protocol.detail() == "connection lost; boot_id is still " + kOld);
}

TEST_CASE("a node that does not come back in time is lost", "[execute]") {
  Boot boot;
  CHECK(boot.at(10, {}) == Want::ask);
  CHECK(boot.at(909, {}) == Want::ask);
  CHECK(boot.at(910, {}) == Want::end);
  CHECK(boot.protocol.verdict() == Verdict::lost);
  CHECK(boot.protocol.detail() == "the node does not answer 15 min after it went down");
}

TEST_CASE("a second boot is said, a third is a loop", "[execute]") {
  Boot boot;
  CHECK(boot.at(10, {}) == Want::ask);
  CHECK(boot.at(60, kNew) == Want::ask);
  CHECK(boot.at(63, {}) == Want::ask);
  CHECK(boot.at(100, kNewer) == Want::ask);
  SECTION("twice") {
    CHECK(boot.at(103, kNewer) == Want::end);
    CHECK(boot.protocol.verdict() == Verdict::rebooted);
    CHECK(boot.protocol.detail() == "the node booted 2 times; the last boot_id is " + kNewer);
  }
  SECTION("a third time") {
    CHECK(boot.at(103, kNewest) == Want::end);
    CHECK(boot.protocol.verdict() == Verdict::unstable);
  }
}

TEST_CASE("a moment of silence after the boot starts the window again", "[execute]") {
  Boot boot;
  CHECK(boot.at(60, kNew) == Want::ask);
  CHECK(boot.at(63, {}) == Want::ask);
  CHECK(boot.at(65, kNew) == Want::ask);
  CHECK(boot.at(68, kNew) == Want::end);
  CHECK(boot.protocol.verdict() == Verdict::rebooted);
}

TEST_CASE("a command that never ran is sent again, but not for ever", "[execute]") {
  BootProtocol protocol{{kOld}, TimePoint{}, kDeadlines};
  protocol.begin(TimePoint{});
  CHECK(protocol.sent(TimePoint{}, remote::Outcome::failed, "refused").want == Want::send);
  CHECK(protocol.sent(TimePoint{}, remote::Outcome::failed, "refused").want == Want::send);
  CHECK(protocol.sent(TimePoint{}, remote::Outcome::failed, "refused").want == Want::end);
  CHECK(protocol.verdict() == Verdict::not_sent);
}

TEST_CASE("a command that complained is soon found not to have rebooted", "[execute]") {
  BootProtocol protocol{{kOld}, TimePoint{}, kDeadlines};
  protocol.begin(TimePoint{});
  protocol.sent(TimePoint{}, remote::Outcome::succeeded, "systemctl reboot: exit 1");
  CHECK(protocol.heard(TimePoint{Duration{9'000}}, platform::Boot{kOld}).want == Want::ask);
  CHECK(protocol.heard(TimePoint{Duration{10'000}}, platform::Boot{kOld}).want == Want::end);
  CHECK(protocol.detail() == "systemctl reboot: exit 1; boot_id is still " + kOld);
}

namespace {

// A platform without a boot_id: a mark in memory, and how long the system has been up.
struct MarkedBoot {
  BootProtocol protocol{{"before", Duration{5'000}}, TimePoint{}, kDeadlines};
  TimePoint now{};

  MarkedBoot() {
    protocol.begin(now);
    protocol.sent(now, remote::Outcome::succeeded, "");
  }
  Want at(std::int64_t seconds, const char* mark, std::int64_t uptime) {
    now = TimePoint{Duration{seconds * 1'000}};
    return protocol.heard(now, platform::Boot{mark, Duration{uptime * 1'000}}).want;
  }
};

}  // namespace

TEST_CASE("without a boot_id another mark and a later start are a boot", "[execute]") {
  MarkedBoot boot;
  CHECK(boot.at(1, "before", 6) == Want::ask);
  // It has been up for longer than before, and has booted all the same.
  CHECK(boot.at(300, "after", 20) == Want::ask);
  CHECK(boot.at(303, "after", 23) == Want::end);
  CHECK(boot.protocol.verdict() == Verdict::rebooted);
  CHECK(boot.protocol.boot_text() == "mark after");
}

TEST_CASE("a mark that somebody removed is no boot", "[execute]") {
  MarkedBoot boot;
  CHECK(boot.at(1, "before", 6) == Want::ask);
  CHECK(boot.at(10, "made anew", 15) == Want::ask);
  CHECK(boot.at(130, "made anew", 135) == Want::end);
  CHECK(boot.protocol.verdict() == Verdict::not_rebooted);
  CHECK(boot.protocol.detail() == "mark is still made anew");
}

TEST_CASE("an uptime that fell beside the same mark is a clock, not a boot", "[execute]") {
  MarkedBoot boot;
  CHECK(boot.at(60, "before", 1) == Want::ask);
  CHECK(boot.at(130, "before", 2) == Want::end);
  CHECK(boot.protocol.verdict() == Verdict::not_rebooted);
}

TEST_CASE("boots that marks tell apart are counted", "[execute]") {
  MarkedBoot boot;
  CHECK(boot.at(60, "one", 10) == Want::ask);
  CHECK(boot.at(120, "two", 10) == Want::ask);
  CHECK(boot.at(180, "three", 10) == Want::end);
  CHECK(boot.protocol.verdict() == Verdict::unstable);
  CHECK(boot.protocol.detail() == "the node booted 3 times; the last marks are two and three");
}
