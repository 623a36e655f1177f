// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "engine/remote/limited_runner.hpp"
#include "engine/remote/perform.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::remote {
namespace {

TEST_CASE("only steps of a shell become a command") {
  CHECK(is_shell_step(step::Run{remote::Command{{"true"}, {}}}));
  CHECK(is_shell_step(step::WriteFile{"/etc/x", {}}));
  CHECK(is_shell_step(step::CopyFile{}));
  CHECK(is_shell_step(step::RemoveFile{"/etc/x"}));
  CHECK_FALSE(is_shell_step(step::RunHere{remote::Command{{"true"}, {}}}));
  CHECK_FALSE(is_shell_step(step::Converse{}));
  CHECK_FALSE(is_shell_step(step::Pause{}));
}

TEST_CASE("lines at a prompt change something unless they say that they only read") {
  step::Converse talk;
  CHECK(may_change(talk));
  talk.reads_only = true;
  CHECK_FALSE(may_change(talk));
}

TEST_CASE("a command and a conversation end by the limit, and no sooner than they have to") {
  const std::vector<Step> all{
      step::Run{Command{{"true"}, {}, Duration{30'000}}},
      step::RunHere{Command{{"true"}, {}, Duration{30'000}}},
      step::Converse{{}, {}, Duration{30'000}}};
  for (const Step& given : all) {
    for (const Duration most : {Duration{5'000}, Duration{90'000}}) {
      Step limited = given;
      limit(limited, most);
      const Duration expected = std::min(most, Duration{30'000});
      if (const auto* talk = std::get_if<step::Converse>(&limited))
        CHECK(talk->timeout == expected);
      if (const auto* run = std::get_if<step::Run>(&limited))
        CHECK(run->command.timeout == expected);
      if (const auto* here = std::get_if<step::RunHere>(&limited))
        CHECK(here->command.timeout == expected);
    }
  }
  Step pause = step::Pause{Duration{60'000}};
  limit(pause, Duration{1});
  CHECK(pause == Step{step::Pause{Duration{60'000}}});
}

TEST_CASE("a runner that has no way for a step says which one, and for which node") {
  const NodeName node = NodeName::parse("sw1").value();
  const Error line = unknown_step(node, step::Converse{}, "SSH");
  CHECK(line.code == ErrorCode::invalid);
  CHECK(line.message == "sw1: SSH can't do lines at a prompt yet");
  CHECK(
      unknown_step(node, step::CopyFile{}, "the lab").message ==
      "sw1: the lab can't do the copy of a file yet");
}

}  // namespace
}  // namespace fabric::remote
