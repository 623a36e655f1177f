// SPDX-License-Identifier: Apache-2.0
// What the library alone needs that fabric speaks SSH with: one host after the other, each a
// session that logs in, runs a command that reads nothing, and takes what the host says. No host
// key is looked up. The outputs go to where the other programs' go. usage: bare_sessions PORT USER
// IDENTITY_FILE COMMAND ADDRESS...
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <libssh/libssh.h>

namespace {

struct Free {
  void operator()(ssh_session_struct* session) const {
    ssh_disconnect(session);
    ssh_free(session);
  }
  void operator()(ssh_channel_struct* channel) const { ssh_channel_free(channel); }
  void operator()(ssh_key_struct* key) const { ssh_key_free(key); }
};

bool take_all(ssh_channel channel, bool errors) {
  std::array<char, 65'536> piece{};
  while (true) {
    const int count = ssh_channel_read(channel, piece.data(), piece.size(), errors ? 1 : 0);
    if (count <= 0) return count == 0;
    std::fwrite(piece.data(), 1, static_cast<std::size_t>(count), errors ? stderr : stdout);
  }
}

bool run(const char* address, char* const* arguments, ssh_key key) {
  const std::unique_ptr<ssh_session_struct, Free> session{ssh_new()};
  const int off = 0;
  const int port = std::atoi(arguments[1]);
  ssh_options_set(session.get(), SSH_OPTIONS_PROCESS_CONFIG, &off);
  ssh_options_set(session.get(), SSH_OPTIONS_HOST, address);
  ssh_options_set(session.get(), SSH_OPTIONS_PORT, &port);
  ssh_options_set(session.get(), SSH_OPTIONS_USER, arguments[2]);
  ssh_options_set(session.get(), SSH_OPTIONS_KNOWNHOSTS, "/dev/null");
  ssh_options_set(session.get(), SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
  ssh_options_set(session.get(), SSH_OPTIONS_SSH_DIR, "/dev/null");
  if (ssh_connect(session.get()) != SSH_OK ||
      ssh_userauth_publickey(session.get(), nullptr, key) != SSH_AUTH_SUCCESS)
    return false;
  const std::unique_ptr<ssh_channel_struct, Free> channel{ssh_channel_new(session.get())};
  return ssh_channel_open_session(channel.get()) == SSH_OK &&
         ssh_channel_request_exec(channel.get(), arguments[4]) == SSH_OK &&
         ssh_channel_send_eof(channel.get()) == SSH_OK && take_all(channel.get(), false) &&
         take_all(channel.get(), true);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 6) return 3;
  ssh_key raw = nullptr;
  if (ssh_pki_import_privkey_file(arguments[3], nullptr, nullptr, nullptr, &raw) != SSH_OK)
    return 1;
  const std::unique_ptr<ssh_key_struct, Free> key{raw};
  bool good = true;
  for (int each = 5; each < count; ++each)
    good = run(arguments[each], arguments, key.get()) && good;
  return good ? 0 : 1;
}
