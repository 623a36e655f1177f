// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/authenticate.hpp"

#include <array>

#include <fmt/format.h>
#include <libssh/libssh.h>

#include "engine/base/text.hpp"
#include "engine/ssh/agent.hpp"
#include "engine/ssh/failure.hpp"
#include "engine/ssh/session.hpp"

namespace fabric::ssh {
namespace {

class Authentication {
 public:
  explicit Authentication(Session& session) : session_{session} { restart_deadline(); }

  Result<void> run() {
    bool done = FABRIC_TRY(try_identity_files());
    if (!done && agent_may_help()) done = FABRIC_TRY(try_agent());
    if (!done) done = FABRIC_TRY(learn_methods());
    if (!done && session_.destination().password) done = FABRIC_TRY(try_password());
    if (done) return {};
    return failure();
  }

 private:
  Duration patience() const { return session_.environment().options.authentication_timeout; }
  void restart_deadline() { deadline_ = session_.environment().clock.now() + patience(); }
  Error fail(std::string_view what) const {
    return unreachable(session_.destination(), Stage::authentication, what);
  }

  // One method, to its end: true if the host is satisfied, false if it wants something else.
  Result<bool> attempt(const std::function<int()>& method) {
    const auto result = session_.drive(deadline_, SSH_AUTH_AGAIN, method);
    if (!result && session_.environment().stop.raised()) {
      return stopped(session_.destination(), Stage::authentication);
    }
    if (!result) return fail(no_answer_within(patience()));
    if (result == SSH_AUTH_ERROR)
      return fail(fmt::format("{}; tried {}", session_.problem(), tried()));
    asked_ = true;
    return result == SSH_AUTH_SUCCESS;
  }

  // The signed request straight away: asking first whether a key would do costs a round trip, and
  // sshd sleeps some milliseconds for each request.
  Result<bool> try_identity_files() {
    for (const std::string& file : session_.destination().identity_files) {
      const KeyStore::Identity& identity = session_.environment().keys.load(file);
      if (!identity.key) {
        if (identity.needs_passphrase) locked_ = true;
        if (!identity.missing || session_.destination().identity_files.size() == 1) {
          problems_.push_back(identity.problem);
        }
        continue;
      }
      tried_.push_back(file);
      const bool accepted = FABRIC_TRY(attempt(
          [&] { return ssh_userauth_publickey(session_.handle(), nullptr, identity.key.get()); }));
      if (accepted) return true;
    }
    return false;
  }

  bool agent_may_help() const {
    const Destination& destination = session_.destination();
    return !destination.agent_socket.empty() &&
           (!destination.identities_only || locked_ || tried_.empty());
  }

  Result<bool> try_agent() {
    Environment& environment = session_.environment();
    Agent agent = ask_agent(session_.destination().agent_socket, deadline_, environment);
    if (agent.keys == 0) {
      problems_.push_back(
          "agent: " + (agent.problem.empty() ? std::string{"it holds no keys"} : agent.problem));
      return false;
    }
    tried_.push_back(
        fmt::format("the agent ({} {})", agent.keys, agent.keys == 1 ? "key" : "keys"));
    // While the agent signs (it may ask its user first), only a stop ends the wait.
    const int descriptor = agent.connection.release();
    const StopSignal::Guard guard{environment.stop, descriptor};
    ssh_set_agent_socket(session_.handle(), descriptor);  // libssh closes it
    return attempt([&] { return ssh_userauth_agent(session_.handle(), nullptr); });
  }

  // What the host would take; an answer to any request tells it, an empty one if need be. True if
  // the host is satisfied with that.
  Result<bool> learn_methods() {
    bool open = false;
    if (!asked_) {
      open = FABRIC_TRY(attempt([&] { return ssh_userauth_none(session_.handle(), nullptr); }));
    }
    offered_ = static_cast<unsigned>(ssh_userauth_list(session_.handle(), nullptr));
    return open;
  }

  Result<bool> try_password() {
    if ((offered_ & (SSH_AUTH_METHOD_PASSWORD | SSH_AUTH_METHOD_INTERACTIVE)) == 0) return false;
    if (!session_.is_vouched_for())
      return fail(fmt::format(
          "the document alone names the host key {}, so the password is not given",
          session_.host_key_fingerprint()));
    Result<Secret> password = session_.destination().password();
    if (!password) return fail("password: " + password.error().message);
    restart_deadline();  // a person may have taken long to answer
    tried_.emplace_back("the password");
    if ((offered_ & SSH_AUTH_METHOD_PASSWORD) != 0) {
      const bool accepted = FABRIC_TRY(attempt([&] {
        return ssh_userauth_password(session_.handle(), nullptr, password->reveal().c_str());
      }));
      if (accepted) return true;
    }
    if ((offered_ & SSH_AUTH_METHOD_INTERACTIVE) == 0) return false;
    return answer_prompts(*password);
  }

  // keyboard-interactive, which is how PAM hosts ask for a password: hidden prompts get it.
  Result<bool> answer_prompts(const Secret& password) {
    constexpr int kRounds = 4;  // one for the password, the rest carry only text
    for (int round = 0; round < kRounds; ++round) {
      const auto result = session_.drive(deadline_, SSH_AUTH_AGAIN, [&] {
        return ssh_userauth_kbdint(session_.handle(), nullptr, nullptr);
      });
      if (result == SSH_AUTH_SUCCESS) return true;
      if (result != SSH_AUTH_INFO) return attempt([&] { return result.value_or(SSH_AUTH_ERROR); });
      const int prompts = ssh_userauth_kbdint_getnprompts(session_.handle());
      for (int i = 0; i < prompts; ++i) {
        char echo = 1;
        ssh_userauth_kbdint_getprompt(session_.handle(), static_cast<unsigned>(i), &echo);
        const char* answer = echo == 0 ? password.reveal().c_str() : "";
        ssh_userauth_kbdint_setanswer(session_.handle(), static_cast<unsigned>(i), answer);
      }
    }
    return false;
  }

  std::string tried() const { return tried_.empty() ? "nothing" : join(tried_, ", "); }

  Error failure() const {
    std::string what = fmt::format("{} is refused; tried {}", session_.destination().user, tried());
    if (!problems_.empty()) what += "; " + join(problems_, "; ");
    static constexpr std::array kNames{
        std::pair{SSH_AUTH_METHOD_PUBLICKEY, "publickey"},
        std::pair{SSH_AUTH_METHOD_PASSWORD, "password"},
        std::pair{SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive"},
        std::pair{SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi-with-mic"},
        std::pair{SSH_AUTH_METHOD_HOSTBASED, "hostbased"}};
    std::vector<std::string> names;
    for (const auto& [bit, name] : kNames) {
      if ((offered_ & bit) != 0) names.emplace_back(name);
    }
    if (!names.empty()) what += "; it takes " + join(names, ", ");
    const bool by_key = (offered_ & SSH_AUTH_METHOD_PUBLICKEY) != 0;
    if (by_key && tried_.empty() && problems_.empty())
      what += ": name a key in ssh.identity_file, or load one into an agent (ssh-add)";
    return fail(what);
  }

  Session& session_;
  TimePoint deadline_;
  std::vector<std::string> tried_;
  std::vector<std::string> problems_;
  bool locked_ = false;   // a key file has a passphrase
  unsigned offered_ = 0;  // bits of SSH_AUTH_METHOD_*
  bool asked_ = false;    // the host has answered a request
};

}  // namespace

Result<void> authenticate(Session& session) {
  return Authentication{session}.run();
}

}  // namespace fabric::ssh
