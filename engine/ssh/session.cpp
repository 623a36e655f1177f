// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/session.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <libssh/libssh.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/text.hpp"
#include "engine/ssh/host_key.hpp"

namespace fabric::ssh {

namespace {

// The user's ssh-agent, asked by ourselves how many keys it holds: libssh would wait without limit
// for an agent that does not answer.

struct Agent {
  FileDescriptor connection;
  std::uint32_t keys = 0;
  std::string problem;  // why there is none; keys is 0
};

// draft-miller-ssh-agent: uint32 length, byte type, content; big-endian.
constexpr std::array<unsigned char, 5> kRequestIdentities{0, 0, 0, 1, 11};
constexpr unsigned char kIdentitiesAnswer = 12;
constexpr std::size_t kMaximumAnswer = std::size_t{256} * 1024;  // the limit of ssh-agent itself

std::uint32_t number_at(std::span<const unsigned char> bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24U | std::uint32_t{bytes[at + 1]} << 16U |
         std::uint32_t{bytes[at + 2]} << 8U | std::uint32_t{bytes[at + 3]};
}

// False on end of file, error, deadline or stop.
bool read_fully(
    int descriptor,
    std::span<unsigned char> bytes,
    TimePoint deadline,
    const Environment& environment) {
  while (!bytes.empty()) {
    if (wait_for(descriptor, POLLIN, deadline, environment) != Wait::ready) return false;
    const ssize_t count = recv(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

Agent ask_agent(
    const std::string& socket_path, TimePoint deadline, const Environment& environment) {
  Agent agent;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) {
    agent.problem = "the path of its socket is too long";
    return agent;
  }
  std::copy(socket_path.begin(), socket_path.end(), std::begin(address.sun_path));
  agent.connection = FileDescriptor{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const int descriptor = agent.connection.get();
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    agent.problem = system_message(errno);
    return agent;
  }
  std::array<unsigned char, 5> head{};
  const ssize_t sent =
      send(descriptor, kRequestIdentities.data(), kRequestIdentities.size(), MSG_NOSIGNAL);
  if (sent != std::ssize(kRequestIdentities) ||
      !read_fully(descriptor, head, deadline, environment)) {
    agent.problem = "it does not answer";
    return agent;
  }
  const std::size_t length = number_at(head, 0);
  if (length < 5 || length > kMaximumAnswer || head[4] != kIdentitiesAnswer) {
    agent.problem = "it does not list its keys";
    return agent;
  }
  std::vector<unsigned char> content(length - 1);
  if (!read_fully(descriptor, content, deadline, environment)) {
    agent.problem = "it does not answer";
    return agent;
  }
  agent.keys = number_at(content, 0);
  return agent;
}

// Identity files, then the agent, the password last.
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

  // Learns the methods that the host takes from its answer to any request, an empty one if need be.
  // True if the host is satisfied with that.
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
          "only the document names the host key {}, so the password is not given",
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

// Fails with ErrorCode::unreachable, naming what was tried and what the host offers.
Result<void> authenticate(Session& session) {
  return Authentication{session}.run();
}

// Today's algorithms, and behind them those that were disabled since, for hosts of that age
// (E-esx-ssh, RHEL 6, old switches). Whole lists: libssh 0.10 takes "+name" for a name that it does
// not know, and the rest of the list for all that is allowed.
constexpr const char* kKeyExchanges =
    "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,"
    "ecdh-sha2-nistp521,diffie-hellman-group18-sha512,diffie-hellman-group16-sha512,"
    "diffie-hellman-group-exchange-sha256,diffie-hellman-group14-sha256,"
    "diffie-hellman-group-exchange-sha1,diffie-hellman-group14-sha1,diffie-hellman-group1-sha1";
constexpr const char* kPublicKeys =
    "ssh-ed25519,ecdsa-sha2-nistp521,ecdsa-sha2-nistp384,ecdsa-sha2-nistp256,"
    "sk-ssh-ed25519@openssh.com,sk-ecdsa-sha2-nistp256@openssh.com,rsa-sha2-512,rsa-sha2-256,"
    "ssh-rsa";
constexpr const char* kCiphers =
    "chacha20-poly1305@openssh.com,aes256-gcm@openssh.com,aes128-gcm@openssh.com,aes256-ctr,"
    "aes192-ctr,aes128-ctr,aes256-cbc,aes192-cbc,aes128-cbc,3des-cbc";
constexpr const char* kHashes =
    "hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,hmac-sha2-512,"
    "hmac-sha1-etm@openssh.com,hmac-sha1";

// Consoles of ESX have no others (E-esx-ssh).
void allow_legacy_algorithms(ssh_session session) {
  ssh_options_set(session, SSH_OPTIONS_KEY_EXCHANGE, kKeyExchanges);
  ssh_options_set(session, SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, kPublicKeys);
  for (const auto option : {SSH_OPTIONS_CIPHERS_C_S, SSH_OPTIONS_CIPHERS_S_C})
    ssh_options_set(session, option, kCiphers);
  for (const auto option : {SSH_OPTIONS_HMAC_C_S, SSH_OPTIONS_HMAC_S_C})
    ssh_options_set(session, option, kHashes);
}

SessionHandle make_handle(
    const Destination& destination, const HostKeys& known, FileDescriptor transport) {
  SessionHandle handle{ssh_new()};
  if (!handle) throw std::bad_alloc{};  // the only reason that the library has
  ssh_session session = handle.get();
  const int off = 0;
  // libssh shall read neither the config nor known_hosts: both were read by us. It takes a file
  // that is not there for an empty one.
  ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &off);
  ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, "/dev/null/none");
  ssh_options_set(session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null/none");
  // Nothing is looked for there; without one it would read /etc/passwd for each session.
  ssh_options_set(session, SSH_OPTIONS_SSH_DIR, "/dev/null");
  ssh_options_set(session, SSH_OPTIONS_HOST, destination.host.c_str());
  ssh_options_set(session, SSH_OPTIONS_USER, destination.user.c_str());
  if (destination.legacy_algorithms) allow_legacy_algorithms(session);
  const std::string algorithms = host_key_algorithms(known, destination);
  ssh_options_set(session, SSH_OPTIONS_HOSTKEYS, algorithms.c_str());
  const socket_t descriptor = transport.release();  // FreeSession closes it
  ssh_options_set(session, SSH_OPTIONS_FD, &descriptor);
  ssh_set_blocking(session, 0);
  return handle;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(
    const Destination& destination, FileDescriptor transport, Environment& environment) {
  const HostKeys known = environment.known_hosts.load(destination.known_hosts_files)
                             .find(destination.known_as, destination.port);
  std::unique_ptr<Session> session{
      new Session{make_handle(destination, known, std::move(transport)), destination, environment}};
  FABRIC_TRY(session->shake_hands(known));
  FABRIC_TRY(authenticate(*session));
  return session;
}

Wait Session::wait(TimePoint deadline) {
  const int descriptor = ssh_get_fd(handle());
  const bool sending = (ssh_get_poll_flags(handle()) & SSH_WRITE_PENDING) != 0;
  const Wait result = wait_for(
      descriptor, static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN), deadline, environment_);
  // sshd keeps Nagle on until a command runs: what it holds back, only our acknowledgement frees,
  // and the kernel would delay that by 40 ms. (No effect on a jump host's socket pair.)
  const int one = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
  return result;
}

ChannelHandle Session::new_channel() {
  ssh_channel_free(std::exchange(ended_, nullptr));
  return ChannelHandle{ssh_channel_new(handle())};
}

void Session::keep_ended(ChannelHandle channel) {
  ended_ = channel.release();
}

std::optional<int> Session::drive(TimePoint deadline, int again, const std::function<int()>& step) {
  while (true) {
    const int result = step();
    if (result != again) return result;
    if (wait(deadline) != Wait::ready) return std::nullopt;
  }
}

std::string Session::problem() const {
  // libssh keeps the last error, "" if the other side just closed.
  const std::string text = ssh_get_error(handle());
  return text.empty() ? "the connection was closed" : text;
}

Error Session::gave_up(Stage stage, Duration patience) const {
  if (environment_.stop.raised()) return stopped(destination_, stage);
  return unreachable(destination_, stage, no_answer_within(patience));
}

Result<void> Session::shake_hands(const HostKeys& known) {
  const Duration patience = environment_.options.handshake_timeout;
  const auto connected = drive(
      environment_.clock.now() + patience, SSH_AGAIN, [this] { return ssh_connect(handle()); });
  if (connected != SSH_OK) {
    const bool spoke = ssh_get_serverbanner(handle()) != nullptr;
    const Stage stage = spoke ? Stage::key_exchange : Stage::banner;
    if (!connected) return gave_up(stage, patience);
    std::string what = problem();
    // Hosts and switches of that age offer nothing else.
    if (!destination_.legacy_algorithms && what.find("no match for method") != std::string::npos)
      what += "; `ssh.legacy_algorithms: true` at the node accepts outdated algorithms";
    return unreachable(destination_, stage, what);
  }
  return verify_host_key(known);
}

std::string Session::old_key_exchange() const {
  const char* name = ssh_get_kex_algo(handle());
  const std::string_view text = name == nullptr ? "" : name;
  return text.ends_with("-sha1") ? std::string{text} : std::string{};
}

Result<void> Session::verify_host_key(const HostKeys& known) {
  ssh_key raw = nullptr;
  if (ssh_get_server_publickey(handle(), &raw) != SSH_OK) {
    return unreachable(destination_, Stage::host_key, problem());
  }
  const KeyHandle key{raw};
  const PresentedKey presented = present(key.get());
  Result<void> judged = judge_host_key(presented, known, destination_);
  if (!judged) return judged;
  fingerprint_ = presented.fingerprint;
  vouched_ = operator_vouches(presented, known, destination_);
  return {};
}

}  // namespace fabric::ssh
