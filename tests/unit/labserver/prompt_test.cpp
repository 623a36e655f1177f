// SPDX-License-Identifier: Apache-2.0
// An interactive session at a machine that has a prompt, over real SSH with a PTY.
#include <memory>
#include <string>

#include <fmt/format.h>
#include <libssh/libssh.h>

#include "engine/base/text.hpp"
#include "engine/model/document/load.hpp"

#include "tests/unit/lab/prompt_switch.hpp"
#include "tests/unit/lab/ring_lab.hpp"
#include "tests/unit/labserver/running_lab.hpp"

namespace fabric::labserver {
namespace {

lab::LabSpec with_switch() {
  lab::LabSpec spec;
  spec.makers[Platform::mlnx_os] = lab::prompt_switch_maker();
  return spec;
}

FabricSpec star() {
  return lab::load_text(
      "apiVersion: fabric/v1\nname: star\n"
      "nodes:\n  pve1: {adapters: {cx5: {model: connectx-5-en, ports: 1}}}\n"
      "  sw1: {platform: mlnx-os}\n"
      "networks:\n  lan:\n    mode: ethernet\n    ipv4: {subnet: 10.30.0.0/24}\n"
      "    cables: [[pve1/1, sw1/1]]\n");
}

class Terminal {
 public:
  Terminal(const RunningLab& lab, const std::string& node) {
    const std::string host = lab.info().addresses.at(node);
    const unsigned port = lab.info().port;
    const int off = 0;
    const int strict = 0;
    ssh_session session = session_.get();
    ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &off);
    ssh_options_set(session, SSH_OPTIONS_STRICTHOSTKEYCHECK, &strict);
    ssh_options_set(session, SSH_OPTIONS_HOST, host.c_str());
    ssh_options_set(session, SSH_OPTIONS_PORT, &port);
    ssh_options_set(session, SSH_OPTIONS_USER, "admin");
    REQUIRE(ssh_connect(session) == SSH_OK);
    ssh_key key = nullptr;
    REQUIRE(
        ssh_pki_import_privkey_file(
            lab.info().identity_file.c_str(), nullptr, nullptr, nullptr, &key) == SSH_OK);
    const int authenticated = ssh_userauth_publickey(session, nullptr, key);
    ssh_key_free(key);
    REQUIRE(authenticated == SSH_AUTH_SUCCESS);
    channel_.reset(ssh_channel_new(session));
    REQUIRE(ssh_channel_open_session(channel_.get()) == SSH_OK);
    REQUIRE(ssh_channel_request_pty(channel_.get()) == SSH_OK);
  }

  bool request_shell() { return ssh_channel_request_shell(channel_.get()) == SSH_OK; }
  void type(const std::string& keys) {
    REQUIRE(
        ssh_channel_write(channel_.get(), keys.data(), static_cast<std::uint32_t>(keys.size())) ==
        static_cast<int>(keys.size()));
  }
  // What is shown until it ends so, or the session ends.
  std::string read_until(const std::string& end) {
    constexpr int kPatience = 10'000;
    std::string text;
    while (!text.ends_with(end)) {
      char piece[256];
      const int count = ssh_channel_read_timeout(channel_.get(), piece, sizeof piece, 0, kPatience);
      if (count <= 0) break;
      text.append(piece, static_cast<std::size_t>(count));
    }
    return text;
  }
  bool ended() {
    read_until("no such end");
    return ssh_channel_is_eof(channel_.get()) != 0 || ssh_is_connected(session_.get()) == 0;
  }

 private:
  struct Free {
    void operator()(ssh_session_struct* session) const {
      ssh_disconnect(session);
      ssh_free(session);
    }
    void operator()(ssh_channel_struct* channel) const { ssh_channel_free(channel); }
  };
  std::unique_ptr<ssh_session_struct, Free> session_{ssh_new()};
  std::unique_ptr<ssh_channel_struct, Free> channel_;
};

}  // namespace

TEST_CASE("a machine with a prompt has interactive sessions, another has none", "[labserver]") {
  const RunningLab lab{star(), Duration{0}, with_switch()};
  Terminal host{lab, "pve1"};
  CHECK_FALSE(host.request_shell());

  Terminal terminal{lab, "sw1"};
  REQUIRE(terminal.request_shell());
  CHECK(terminal.read_until(" > ") == "Mellanox-like switch\r\nsw1 > ");
  terminal.type("enable\rconfigure terminal\r");
  CHECK(terminal.read_until("(config) # ").ends_with("configure terminal\r\nsw1 (config) # "));
  terminal.type("set a 1\rsho");
  terminal.type("w a\r");
  CHECK(terminal.read_until("1\r\nsw1 (config) # ").ends_with("show a\r\n1\r\nsw1 (config) # "));

  // Modes are of a session, settings of the machine.
  Terminal other{lab, "sw1"};
  REQUIRE(other.request_shell());
  other.read_until(" > ");
  other.type("show a\r");
  CHECK(other.read_until("1\r\nsw1 > ").ends_with("1\r\nsw1 > "));
  other.type("exit\r");
  CHECK(other.ended());

  terminal.type("exit\rexit\rexit\r");
  CHECK(terminal.ended());
}

TEST_CASE("a reload at the prompt ends the session", "[labserver]") {
  const RunningLab lab{star(), Duration{0}, with_switch()};
  Terminal terminal{lab, "sw1"};
  REQUIRE(terminal.request_shell());
  terminal.read_until(" > ");
  terminal.type("enable\rreload\ryes\r");
  CHECK(terminal.ended());
}

namespace {

remote::step::Converse talk(std::vector<std::string> lines) {
  remote::step::Converse step;
  step.dialect.prompts = {" > ", " # "};
  step.dialect.entry = {"enable", "configure terminal"};
  step.dialect.pauses = {{"--More--", " "}};
  step.dialect.questions = {{"[yes]", "yes"}};
  step.dialect.refusals = {"%"};
  step.lines = std::move(lines);
  step.timeout = Duration{60'000};
  return step;
}

remote::StepResult perform(ssh::Runner& runner, remote::Step step) {
  runner.start({1, *NodeName::parse("sw1"), std::move(step)});
  return *runner.wait_any(Duration{90'000});
}

}  // namespace

TEST_CASE("lines at a prompt go over real SSH, page by page", "[labserver]") {
  const RunningLab lab{star(), Duration{0}, with_switch()};
  ssh::Runner runner{lab.targets(), lab.options(), lab.clock()};
  std::vector<std::string> many;
  for (int key = 0; key < 60; ++key)
    many.push_back(fmt::format("set key{:02} value{}", key, key));
  const remote::StepResult set = perform(runner, talk(many));
  REQUIRE(set.outcome == remote::Outcome::succeeded);
  CHECK(set.output.exit_status == 0);
  CHECK(set.replies.size() == many.size());

  const remote::StepResult shown = perform(runner, talk({"show all"}));
  REQUIRE(shown.outcome == remote::Outcome::succeeded);
  CHECK(split_lines(shown.output.standard_output).size() == many.size());
  CHECK(shown.output.standard_output.find("More") == std::string::npos);
  CHECK(shown.output.standard_output.ends_with("key59 value59\n"));

  remote::step::Converse own = talk({"set {name} here", "show sw1"});
  own.dialect.own_name = "{name}";
  CHECK(perform(runner, own).output.standard_output == "here\n");

  // A session is kept, its modes are not; a line that is refused ends it.
  const remote::StepResult refused = perform(runner, talk({"no such line", "set a 1"}));
  REQUIRE(refused.outcome == remote::Outcome::succeeded);
  CHECK(refused.output.exit_status == 1);
  CHECK(refused.output.standard_error.starts_with("%"));
  CHECK(refused.replies.size() == 1);

  remote::step::Converse questions = talk({"no such line", "show key07"});
  questions.each_alone = true;
  const remote::StepResult asked = perform(runner, questions);
  REQUIRE(asked.replies.size() == 2);
  CHECK(asked.replies[0].refused);
  CHECK_FALSE(asked.replies[1].refused);
  CHECK(asked.replies[1].text == "value7\n");
}

TEST_CASE("the mode of a conversation over real SSH holds from line to line", "[labserver]") {
  const RunningLab lab{star(), Duration{0}, with_switch()};
  ssh::Runner runner{lab.targets(), lab.options(), lab.clock()};
  // One step: what it enters it is in until it leaves.
  const remote::StepResult set = perform(
      runner,
      talk({"interface 1/7", "mtu 9216", "exit", "interface 1/8", "mtu 1500", "exit", "set a 1"}));
  REQUIRE(set.outcome == remote::Outcome::succeeded);
  INFO(set.output.standard_error);
  CHECK(set.output.exit_status == 0);
  CHECK(set.replies.size() == 7);
  CHECK(
      perform(runner, talk({"show 1/7.mtu", "show 1/8.mtu", "show a"})).output.standard_output ==
      "9216\n1500\n1\n");

  // The next one has a terminal of its own, in no mode.
  remote::step::Converse outside = talk({"mtu 9000"});
  outside.dialect.entry = {"enable"};
  const remote::StepResult refused = perform(runner, outside);
  REQUIRE(refused.outcome == remote::Outcome::succeeded);
  CHECK(refused.output.exit_status == 1);
  CHECK(refused.output.standard_error == "% Unrecognized command \"mtu 9000\".\n");

  // A mode that is refused bars every line that needs it.
  remote::step::Converse barred = talk({"set b 2"});
  barred.dialect.entry = {"enable", "configure exclusively"};
  const remote::StepResult nothing = perform(runner, barred);
  REQUIRE(nothing.outcome == remote::Outcome::succeeded);
  CHECK(nothing.output.exit_status == 1);
  CHECK(nothing.replies.empty());
  CHECK(perform(runner, talk({"show b"})).output.standard_output.empty());
}

TEST_CASE("a refusal in the midst of lines over real SSH ends them there", "[labserver]") {
  const RunningLab lab{star(), Duration{0}, with_switch()};
  ssh::Runner runner{lab.targets(), lab.options(), lab.clock()};
  const remote::StepResult refused =
      perform(runner, talk({"set a 1", "interface 1/7", "mtuu 9216", "mtu 9216", "set b 2"}));
  REQUIRE(refused.outcome == remote::Outcome::succeeded);
  CHECK(refused.output.exit_status == 1);
  CHECK(refused.output.standard_error == "% Unrecognized command \"mtuu 9216\".\n");
  REQUIRE(refused.replies.size() == 3);
  CHECK_FALSE(refused.replies[1].refused);
  CHECK(refused.replies[2].refused);
  // What came before it is done, what comes after it is not.
  const remote::StepResult shown = perform(runner, talk({"show a", "show 1/7.mtu", "show b"}));
  CHECK(shown.output.standard_output == "1\n");
}

TEST_CASE("a question over real SSH is answered by what the dialect says", "[labserver]") {
  const RunningLab lab{star(), Duration{0}, with_switch()};
  ssh::Runner runner{lab.targets(), lab.options(), lab.clock()};
  remote::step::Converse no = talk({"reload", "set a 1"});
  no.dialect.questions = {{"Reload now?", "no"}};
  const remote::StepResult stays = perform(runner, no);
  REQUIRE(stays.outcome == remote::Outcome::succeeded);
  CHECK(stays.output.exit_status == 0);
  CHECK(perform(runner, talk({"show a"})).output.standard_output == "1\n");

  remote::step::Converse yes = talk({"reload"});
  yes.dialect.questions = {{"Reload now?", "yes"}};
  perform(runner, yes);
  // It goes down in a second, and boots for a minute.
  remote::StepResult shown = perform(runner, talk({"show a"}));
  for (int asked = 0; asked < 100 && shown.outcome == remote::Outcome::succeeded; ++asked) {
    perform(runner, remote::step::Pause{Duration{100}});
    shown = perform(runner, talk({"show a"}));
  }
  CHECK(shown.outcome != remote::Outcome::succeeded);
}

TEST_CASE("a connection that is cut at a prompt leaves the outcome unknown", "[labserver]") {
  const RunningLab lab{star(), Duration{0}, with_switch()};
  ssh::Runner runner{lab.targets(), lab.options(), lab.clock()};
  REQUIRE(perform(runner, talk({"show a"})).outcome == remote::Outcome::succeeded);
  REQUIRE(
      request(lab.directory(), Map{{"verb", "fault"}, {"node", "sw1"}, {"fault", "lost-reply"}}));
  const remote::StepResult cut = perform(runner, talk({"set a 1", "set b 2"}));
  CHECK(cut.outcome == remote::Outcome::unknown);
  CHECK(cut.error.code == ErrorCode::maybe_applied);
  // It was done as far as the cut, and the next step comes by a session of its own.
  const remote::StepResult shown = perform(runner, talk({"show a", "show b"}));
  REQUIRE(shown.outcome == remote::Outcome::succeeded);
  CHECK(shown.output.standard_output == "1\n");
}

TEST_CASE("a prompt that does not come back leaves the outcome unknown", "[labserver]") {
  const RunningLab lab{star(), Duration{0}, with_switch()};
  ssh::Runner runner{lab.targets(), lab.options(), lab.clock()};
  remote::step::Converse reload = talk({"reload"});
  reload.dialect.questions = {};  // it asks, and nobody answers
  reload.timeout = Duration{500};
  CHECK(perform(runner, reload).outcome == remote::Outcome::unknown);

  // Before a line was sent nothing has happened.
  remote::step::Converse lost = talk({"set a 1"});
  lost.dialect.prompts = {"no such prompt"};
  lost.timeout = Duration{500};
  const remote::StepResult result = perform(runner, lost);
  CHECK(result.outcome == remote::Outcome::failed);
}

}  // namespace fabric::labserver
