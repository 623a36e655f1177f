// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/session.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <libssh/libssh.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "engine/base/text.hpp"
#include "engine/ssh/authenticate.hpp"
#include "engine/ssh/failure.hpp"
#include "engine/ssh/host_key.hpp"

namespace fabric::ssh {
namespace {

// Those of today, and behind them what was switched off since, for hosts of that age (E-esx-ssh,
// RHEL 6, old switches). Whole lists: libssh 0.10 takes "+name" for a name that it does not know,
// and what else stands there for all that is allowed.
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
      what += "; `ssh.legacy_algorithms: true` at the node accepts what was switched off since";
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
