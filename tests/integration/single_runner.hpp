// SPDX-License-Identifier: Apache-2.0
// A runner with one node, what it is told to do, and what it says of a node that it can't reach.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "engine/base/clock.hpp"
#include "engine/ssh/runner.hpp"

#include "tests/support/catch.hpp"

namespace fabric::test {

inline NodeName node(const std::string& name) {
  return *NodeName::parse(name);
}

// A minute: a loaded machine must not look like a stalled node.
inline remote::Step run_shell(const std::string& script, Duration timeout = Duration{60'000}) {
  return remote::step::Run{remote::Command{{"sh", "-c", script}, "", timeout}, false};
}

// A runner with the one node pve1.
class Single {
 public:
  Single(ssh::Target target, ssh::Options options)
      : runner_{{{node("pve1"), std::move(target)}}, std::move(options), clock_} {}

  remote::StepResult perform(remote::Step step) {
    runner_.start({++ticket_, node("pve1"), std::move(step)});
    std::optional<remote::StepResult> result = runner_.wait_any(Duration{90'000});
    REQUIRE(result);
    CHECK(result->ticket == ticket_);
    return *result;
  }
  remote::StepResult sh(const std::string& script) { return perform(run_shell(script)); }
  ssh::Runner& runner() { return runner_; }

 private:
  SystemClock clock_;
  ssh::Runner runner_;
  remote::Ticket ticket_ = 0;
};

// The error of a node that can't be reached.
inline std::string refusal(const ssh::Target& target, const ssh::Options& options) {
  const remote::StepResult result = Single{target, options}.sh("true");
  CHECK(result.outcome == remote::Outcome::failed);
  CHECK(result.error.code == ErrorCode::unreachable);
  return result.error.message;
}

inline bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  INFO(part);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace fabric::test
