// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/journal/journal_read.hpp"

#include "tests/support/catch.hpp"

using namespace fabric;
using namespace fabric::execute;

namespace {

const std::string kStart =
    R"({"event":"run_started","run":"r1","fabric":"ring","plan":"d","actions":3,"time":"2026-11-20T10:00:00.123Z"})"
    "\n";
const std::string kBegun =
    R"({"event":"action_started","id":"a0001","node":"pve1","kind":"reboot","title":"reboot pve1"})"
    "\n";

std::string ended(const std::string& id, const std::string& state) {
  return R"({"event":"action_ended","id":")" + id + R"(","node":"pve1","state":")" + state +
         R"(","detail":"why","cause":""})"
         "\n";
}

RunRecord read(const std::string& text) {
  const Result<RunRecord> record = read_journal(text);
  INFO((record ? "" : record.error().message));
  REQUIRE(record.has_value());
  return *record;
}

}  // namespace

TEST_CASE("a journal tells what became of each action", "[execute]") {
  const RunRecord run = read(
      kStart + kBegun + ended("a0001", "done") + ended("a0002", "already_satisfied") +
      ended("a0003", "done") +
      R"({"event":"run_ended","time":"2026-11-20T10:01:00.000Z"})"
      "\n");
  CHECK(run.run == "r1");
  CHECK(run.planned == 3);
  CHECK(run.actions.size() == 3);
  CHECK(run.actions[0].title == "reboot pve1");
  CHECK(run.is_complete());
}

TEST_CASE("a run that was killed has actions that nobody knows of", "[execute]") {
  const RunRecord run = read(kStart + kBegun + R"({"event":"action_en)");
  CHECK(run.ended.empty());
  CHECK_FALSE(run.is_complete());
  REQUIRE(run.actions.size() == 1);
  CHECK_FALSE(run.actions[0].ended);
  CHECK(run.count(ActionState::unknown) == 0);
  CHECK(read("").started.empty());
}

TEST_CASE("a hook that said not yet tells for how long, until it ends", "[execute]") {
  const std::string put_off =
      R"({"event":"action_put_off","id":"a0001","node":"pve1","detail":"2 guests","waited_ms":1500})"
      "\n";
  const RunRecord waiting = read(kStart + kBegun + put_off);
  CHECK(waiting.actions[0].put_off == Duration{1'500});
  CHECK_FALSE(waiting.actions[0].ended);
  const RunRecord over = read(kStart + kBegun + put_off + kBegun + ended("a0001", "done"));
  CHECK_FALSE(over.actions[0].put_off);
  CHECK(
      read_journal(R"({"event":"action_put_off","id":"a0001"})"
                   "\n")
          .error()
          .message == "line 1: a hook without 'waited_ms'");
}

TEST_CASE("an action that was skipped never began", "[execute]") {
  const RunRecord run = read(kStart + ended("a0002", "skipped"));
  CHECK(run.count(ActionState::skipped) == 1);
  CHECK(run.actions[0].detail == "why");
}

TEST_CASE("what is no journal is refused with its line", "[execute]") {
  const auto said = [](const std::string& text) {
    const Result<RunRecord> record = read_journal(text);
    REQUIRE_FALSE(record.has_value());
    CHECK(record.error().code == ErrorCode::invalid);
    return record.error().message;
  };
  CHECK(said("no JSON\n").starts_with("line 1: "));
  CHECK(said(kStart + "{}\n") == "line 2: there is no 'event'");
  CHECK(said(kStart + ended("a0001", "great")) == "line 2: 'great' is no state");
  CHECK(said(kStart + ended("", "done")) == "line 2: an action without 'id'");
  CHECK(
      said(R"({"event":"run_started","run":"r1"})"
           "\n") == "line 1: a run without 'run' or 'actions'");
}
