// SPDX-License-Identifier: Apache-2.0
// What may only not be ready yet is asked for again, in virtual time.
#include "engine/workflow/verifying.hpp"

#include <algorithm>
#include <deque>
#include <string_view>

#include "engine/base/text.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"
#include "tests/unit/verify/leaves.hpp"

namespace fabric::workflow {

namespace {

// Nodes that answer each ping from a moment on, and nothing else.
class Settling final : public remote::StepRunner {
 public:
  explicit Settling(Duration until) : ready_{TimePoint{} + until} {}

  void start(remote::StepRequest request) override {
    started_.push_back(std::move(request));
    ++sent_;
  }

  std::optional<remote::StepResult> wait_any(Duration) override {
    const remote::StepRequest request = std::move(started_.front());
    started_.pop_front();
    remote::StepResult result;
    result.ticket = request.ticket;
    if (const auto* pause = std::get_if<remote::step::Pause>(&request.step))
      clock_.advance_to(clock_.now() + pause->duration);
    if (const auto* run = std::get_if<remote::step::Run>(&request.step))
      result.output.standard_output = answer(run->command.standard_input);
    return result;
  }

  std::optional<remote::PeerIdentity> identity(const NodeName&) const override { return {}; }
  const Clock& clock() const override { return clock_; }

  int sent() const { return sent_; }
  int pings = 0;  // that were asked for; those of full MTU follow the others
  Duration took() const { return clock_.now() - TimePoint{}; }

 private:
  std::string answer(std::string_view script) {
    const bool ready = clock_.now() >= ready_;
    std::string text;
    for (const std::string_view line : split_lines(script)) {
      const std::size_t at = line.find("ask ");
      const std::vector<std::string_view> words =
          split_words(line.substr(std::min(at, line.size())));
      if (words.size() < 4) continue;  // of the function itself: "ask() {"
      const bool small = words[2] == "small";
      if (!small && !ready) continue;
      pings += small ? 1 : 0;
      text +=
          fmt::format("fabric-ping {} {}\nfabric-exit {}\n", words[1], words[2], ready ? "0" : "1");
    }
    return text;
  }

  TimePoint ready_;
  int sent_ = 0;
  fabric::test::FakeClock clock_;
  std::deque<remote::StepRequest> started_;
};

// What it has is never asked for here; it has no path tests.
class Untestable final : public platform::HostPlatform {
 public:
  Platform id() const override { return Platform::linux; }
  remote::Step probe_step(std::span<const Probe>, std::string_view, Duration, bool) const override {
    return remote::step::Pause{};
  }
  Result<platform::ProbeOutputs> probe_outputs(
      std::span<const Probe>,
      std::string_view,
      const remote::StepResult&,
      platform::ProbeTexts&) const override {
    return platform::ProbeOutputs{};
  }
  Probe identity_probe() const override { return {"identity", ""}; }
  platform::Identity identity(const NodeFacts&) const override { return {}; }
  remote::Step command_step(remote::Command) const override { return remote::step::Pause{}; }
  bool has_exit_status() const override { return false; }
};

verify::Report verify_by(
    const platform::HostPlatform& platform,
    Mode mode,
    const VerifyWish& wish,
    remote::StepRunner& nodes) {
  Listener nobody;
  const FabricSpec spec = verify::test::leaves(2, mode);
  const discovery::Snapshot snapshot = verify::test::with_bonds(2);
  Registry registry;
  registry.add(platform);
  Random random{1};
  return verify_now(nobody, {spec, snapshot, {}, registry, {}}, nodes, wish, {}, random);
}

verify::Report verify_paths(Mode mode, Settling& nodes) {
  return verify_by(platform::linux_platform(), mode, VerifyWish{}, nodes);
}

std::size_t lost(const verify::Report& report) {
  return static_cast<std::size_t>(
      std::count_if(report.paths.begin(), report.paths.end(), [](const verify::PathReport& path) {
        return path.small != verify::Passage::passed || path.full != verify::Passage::passed;
      }));
}

}  // namespace

TEST_CASE("a bond or IPoIB that answers late has answered", "[workflow]") {
  for (const Mode mode : {Mode::lag, Mode::infiniband}) {
    Settling nodes{Duration{8'000}};
    const verify::Report report = verify_paths(mode, nodes);
    REQUIRE_FALSE(report.paths.empty());
    CHECK(lost(report) == 0);
    // Three rounds of three seconds.
    CHECK(nodes.took() == Duration{9'000});
    CHECK(nodes.pings == 4 * static_cast<int>(report.paths.size()));
  }
}

TEST_CASE("what does not answer in the time that settling takes is lost", "[workflow]") {
  Settling nodes{Duration{60'000}};
  const verify::Report report = verify_paths(Mode::lag, nodes);
  CHECK(lost(report) == report.paths.size());
  CHECK(nodes.took() == Duration{15'000});
}

TEST_CASE(
    "a platform without path tests is told by node, and nothing is sent there", "[workflow]") {
  const Untestable platform;
  Settling nodes{Duration{0}};
  VerifyWish wish;
  const auto found = [&] {
    std::vector<Diagnostic> findings = verify_by(platform, Mode::lag, wish, nodes).findings;
    // These nodes have no LLDP, which is another matter.
    std::erase_if(findings, [](const Diagnostic& each) { return each.rule == "cable-unproven"; });
    return findings;
  };
  std::vector<Diagnostic> findings = found();
  for (const Diagnostic& each : findings)
    UNSCOPED_INFO(each.rule << ": " << each.message);
  REQUIRE(findings.size() == 2);
  for (const Diagnostic& each : findings) {
    CHECK(each.rule == "path-tests-missing");
    // Neither end can tell of the path.
    CHECK(each.severity == Severity::error);
    CHECK(verify::is_incomplete(each));
    REQUIRE_FALSE(each.related.empty());
    CHECK(each.related.back().message == "because of that: 1 path could not be pinged");
  }
  CHECK(findings[0].message.find("pve1") != std::string::npos);
  // What was asked for by name and can't be done is an error.
  wish.level = VerifyLevel::perf;
  wish.duration = Duration{1'000};
  wish.failover = true;
  findings = found();
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].severity == Severity::error);
  CHECK(
      findings[0].related.back().message.find("the fail-over of 1 bond could not be tried") !=
      std::string::npos);
  CHECK(nodes.pings == 0);
  CHECK(nodes.sent() == 0);
}

TEST_CASE("only what settles late is asked for again", "[workflow]") {
  Settling nodes{Duration{8'000}};
  const verify::Report report = verify_paths(Mode::ethernet, nodes);
  REQUIRE_FALSE(report.paths.empty());
  CHECK(lost(report) == report.paths.size());
  CHECK(nodes.took() == Duration{0});
}

}  // namespace fabric::workflow
