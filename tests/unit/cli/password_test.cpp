// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/session/password.hpp"

#include <cstdlib>

#include "engine/cli/session/connect.hpp"
#include "engine/model/document/load.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/cli/temporary_folder.hpp"

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

TEST_CASE("a password goes to no host whose key the document alone names", "[cli]") {
  const std::string key =
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea";
  SourceMap sources;
  const FabricSpec spec = load(
      sources,
      "apiVersion: fabric/v1\nname: x\nnodes:\n  a:\n    address: 192.0.2.1\n    ssh: {host_key: "
      "\"" +
          key + "\"}\n");
  Asking asking;
  const test::TemporaryFolder folder;
  ssh::Options options;
  options.config_file = "";
  options.known_hosts_files = {"known_hosts"};
  const auto refused = [&](const PasswordTerms& terms) {
    ssh::ExpectedHosts expected{options};
    return unvouched_hosts(spec, *ssh_targets(spec, terms, asking.clock), expected);
  };
  const std::vector<std::string> sources_of_one{"password: x", "env: X", "command: [x]"};
  for (const std::string& source : sources_of_one) {
    CAPTURE(source);
    PasswordTerms terms;
    terms.of_operator = *parse_credentials("c", "a: {" + source + "}\n");
    const Diagnostics found = refused(terms);
    REQUIRE(found.items().size() == 1);
    CHECK(sources.position(found.items()[0].range.file, found.items()[0].range.begin).line == 6);
    CHECK(found.items()[0].help.find("192.0.2.1 " + key) != std::string::npos);
    folder.write("known_hosts", "192.0.2.1 " + key + "\n");
    CHECK(refused(terms).empty());
    folder.write("known_hosts", "192.0.2.2 " + key + "\n");
    CHECK_FALSE(refused(terms).empty());
    PasswordTerms trusted = terms;
    trusted.document_trusted = true;
    CHECK(refused(trusted).empty());
    PasswordTerms shown = terms;
    OperatorPassword seen = *terms.of_operator.at("a");
    seen.host_was_shown = true;
    shown.of_operator["a"] = std::make_shared<const OperatorPassword>(seen);
    CHECK(refused(shown).empty());
    // Beside the password; it wins over what the document says.
    terms.of_operator =
        *parse_credentials("c", "a: {" + source + ", host_key: \"SHA256:other\"}\n");
    CHECK(refused(terms).empty());
    CHECK(
        ssh_targets(spec, terms, asking.clock)->at(*NodeName::parse("a")).pinned_host_key ==
        "SHA256:other");
  }
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
      {"a: {password: hunter2}\na: {password: hunter2}\n", "c:2:1: "},
      {"a: {host_key: hunter2}\n", "c:1:4: "},
      {"a: {password: x, host_key: [hunter2]}\n", "c:1:18: "},
      {"a: {password: x, host_key: \"\"}\n", "c:1:18: "}};
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
