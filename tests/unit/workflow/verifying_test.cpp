// What may only not be ready yet is asked for again, in virtual time.
#include "engine/workflow/verifying.hpp"

#include <algorithm>
#include <deque>
#include <string_view>

#include "engine/base/text.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"
#include "tests/unit/verify/leaves.hpp"

namespace fabric::workflow {

namespace {

// Nodes that answer each ping from a moment on, and nothing else.
class Settling final : public remote::StepRunner {
 public:
  explicit Settling(Duration until) : ready_{TimePoint{} + until} {}

  void start(remote::StepRequest request) override { started_.push_back(std::move(request)); }

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

  int pings = 0;  // that were asked for; those of full MTU follow the others
  Duration took() const { return clock_.now() - TimePoint{}; }

 private:
  std::string answer(std::string_view script) {
    const bool ready = clock_.now() >= ready_;
    std::string text;
    for (const std::string_view line : split_lines(script)) {
      const std::string_view command = trim(line);
      if (!command.starts_with("echo 'fabric-ping ")) continue;
      const bool small = command.ends_with("small'");
      if (!small && !ready) continue;
      pings += small ? 1 : 0;
      text += std::string{command.substr(6, command.size() - 7)} + "\nfabric-exit " +
              (ready ? "0" : "1") + "\n";
    }
    return text;
  }

  TimePoint ready_;
  fabric::test::FakeClock clock_;
  std::deque<remote::StepRequest> started_;
};

verify::Report verify_paths(Mode mode, Settling& nodes) {
  Listener nobody;
  const FabricSpec spec = verify::test::leaves(2, mode);
  const discovery::Snapshot snapshot = verify::test::with_bonds(2);
  Random random{1};
  return verify_now(nobody, {spec, snapshot, {}}, nodes, VerifyWish{}, {}, random);
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

TEST_CASE("only what settles late is asked for again", "[workflow]") {
  Settling nodes{Duration{8'000}};
  const verify::Report report = verify_paths(Mode::ethernet, nodes);
  REQUIRE_FALSE(report.paths.empty());
  CHECK(lost(report) == report.paths.size());
  CHECK(nodes.took() == Duration{0});
}

}  // namespace fabric::workflow
