// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/session/password.hpp"

#include <cstdlib>

#include "engine/cli/session/connect.hpp"
#include "engine/cli/session/operator_passwords.hpp"
#include "engine/model/document/load.hpp"

#include "tests/support/catch.hpp"

namespace fabric::cli {

namespace {

struct Asking {
  SystemClock clock;
  ssh::StopSignal stop;
  Result<Secret> ask(const PasswordSource& source, Duration timeout = Duration{10'000}) {
    return read_password(source, clock, timeout, stop);
  }
};

FabricSpec load(SourceMap& sources, const std::string& text) {
  LoadedDocument loaded = load_document(sources, {sources.add("fabric.yaml", text)});
  REQUIRE_FALSE(loaded.diagnostics.has_errors());
  loaded.spec.reached = {Platform::linux};
  return std::move(loaded.spec);
}

constexpr const char* kDocument = R"(apiVersion: fabric/v1
name: x
nodes:
  pve[1-2]: {ssh: {password: {command: [cat, /etc/secret]}}}
  pve3: {ssh: {password: {env: TOKEN_OF_CI}}}
  pve4: {}
)";

}  // namespace

TEST_CASE("a password comes from the environment or the first line of a command", "[cli]") {
  Asking asking;
  setenv("FABRIC_TEST_PASSWORD", "s3cret", 1);
  CHECK(asking.ask({"FABRIC_TEST_PASSWORD", {}})->reveal() == "s3cret");
  CHECK(asking.ask({"", {"printf", "pass word\\nmore\\n"}})->reveal() == "pass word");
  CHECK(asking.ask({"FABRIC_TEST_UNSET", {}}).error().code == ErrorCode::not_found);
  CHECK(
      asking.ask({"", {"sh", "-c", "echo secret; exit 1"}}).error().message ==
      "the password command 'sh' failed: exit 1");
  CHECK(asking.ask({"", {"true"}}).error().code == ErrorCode::denied);
  CHECK(asking.ask({"", {"head", "-c", "9000", "/dev/zero"}}).error().code == ErrorCode::denied);
}

TEST_CASE("a password command has a deadline and can be stopped", "[cli]") {
  Asking asking;
  const TimePoint begun = asking.clock.now();
  const Result<Secret> late =
      asking.ask({"", {"sh", "-c", "exec >/dev/null; sleep 60"}}, Duration{300});
  CHECK(late.error().code == ErrorCode::timed_out);
  asking.stop.raise();
  CHECK(asking.ask({"", {"sleep", "60"}}).error().code == ErrorCode::cancelled);
  CHECK(asking.clock.now() - begun < Duration{10'000});
}

TEST_CASE("what a document names for passwords is refused at its line, unless given", "[cli]") {
  SourceMap sources;
  const FabricSpec spec = load(sources, kDocument);
  const Diagnostics refused = untrusted_passwords(spec, {});
  REQUIRE(refused.items().size() == 2);
  const Diagnostic& command = refused.items()[0];
  CHECK(command.rule == "document-not-trusted");
  CHECK(sources.position(command.range.file, command.range.begin) == Position{4, 40});
  CHECK(command.message.find("pve[1-2]") != std::string::npos);
  CHECK(command.help.find("--trust-document") != std::string::npos);
  CHECK(sources.position(refused.items()[1].range.file, refused.items()[1].range.begin).line == 5);
  const auto given = parse_credentials("c", "pve[1-3]: {password: x}\n");
  REQUIRE(given);
  CHECK(untrusted_passwords(spec, *given).empty());
}

TEST_CASE("what the operator gives wins over what the document names", "[cli]") {
  SourceMap sources;
  const FabricSpec spec = load(sources, kDocument);
  Asking asking;
  setenv("FABRIC_TEST_PASSWORD", "of the operator", 1);
  PasswordTerms terms;
  terms.of_operator = *parse_credentials(
      "c",
      "pve1: {password: in the file}\npve[3-4]: {env: FABRIC_TEST_PASSWORD}\n"
      "other: {command: [echo, no]}\npve2: {command: echo \"from $((1+1))\"}\n");
  const auto targets = ssh_targets(spec, terms, asking.clock);
  REQUIRE(targets);
  const auto password = [&](const char* name) {
    return targets->at(*NodeName::parse(name)).password(asking.stop)->reveal();
  };
  CHECK(password("pve1") == "in the file");
  CHECK(password("pve2") == "from 2");
  CHECK(password("pve3") == "of the operator");
  CHECK(password("pve4") == "of the operator");
}

TEST_CASE("a fault of a credentials file has its line and nothing of its content", "[cli]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"hunter2\n", "c:1:1: "},
      {"a: {password: x}\nb: hunter2\n", "c:2:4: "},
      {"a: {password: hunter2, env: hunter2}\n", "c:1:4: "},
      {"a: {hunter2: hunter2}\n", "c:1:5: "},
      {"a: {password: [hunter2]}\n", "c:1:5: "},
      {"a: {password: \"\"}\n", "c:1:5: "},
      {"a: {command: []}\n", "c:1:5: "},
      {"a: {command: [x, {hunter2: hunter2}]}\n", "c:1:5: "},
      {"a[1-2]: {password: x}\na2: {password: hunter2}\n", "c:2:1: "},
      {"a[hunter2: {password: x}\n", "c:1:"},
      {"a: {password: hunter2\n", "c:"},
      {"a: {password: &x hunter2}\n", "c:1:"},
      {"a: {password: hunter2}\na: {password: hunter2}\n", "c:2:1: "}};
  for (const auto& [text, place] : cases) {
    CAPTURE(text);
    const auto read = parse_credentials("c", text);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::invalid);
    CHECK(read.error().message.starts_with(place));
    CHECK(read.error().message.find("hunter2") == std::string::npos);
  }
}

}  // namespace fabric::cli
