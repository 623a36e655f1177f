// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/environment.hpp"

#include <fmt/format.h>
#include <libssh/libssh.h>

#include "engine/base/limits.hpp"
#include "engine/files/read.hpp"

namespace fabric::ssh {

void FreeSession::operator()(ssh_session_struct* session) const {
  // ssh_disconnect() lets go of a descriptor that it was given, and leaves it open; this one closes
  // it. The unsent rest is a farewell that no peer waits for.
  ssh_silent_disconnect(session);
  ssh_free(session);
}

void FreeChannel::operator()(ssh_channel_struct* channel) const {
  ssh_channel_free(channel);
}

void FreeKey::operator()(ssh_key_struct* key) const {
  ssh_key_free(key);
}

namespace {

// Called when a key is encrypted. Without it OpenSSL would ask on the terminal.
int refuse_passphrase(
    const char* /*prompt*/,
    char* /*buffer*/,
    size_t /*length*/,
    int /*echo*/,
    int /*verify*/,
    void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

KeyStore::Identity read_identity(const std::string& path) {
  KeyStore::Identity identity;
  // A document may name it: anything else there is neither waited for nor read, and its content
  // goes to the library alone.
  Result<std::string> text = files::read_regular(path, limits::kKeyBytes);
  if (!text) {
    identity.missing = text.error().code != ErrorCode::invalid;
    identity.problem = identity.missing ? path + " can't be read" : text.error().message;
    return identity;
  }
  ssh_key key = nullptr;
  const int imported = ssh_pki_import_privkey_base64(
      text->c_str(), nullptr, refuse_passphrase, &identity.needs_passphrase, &key);
  for (char& c : *text)
    c = '\0';
  if (imported == SSH_OK) {
    identity.key.reset(key);
  } else if (identity.needs_passphrase) {
    identity.problem = fmt::format("{0} has a passphrase: add it to the agent (ssh-add {0})", path);
  } else {
    identity.problem = path + " is no private key";
  }
  return identity;
}

}  // namespace

const KeyStore::Identity& KeyStore::load(const std::string& path) {
  const std::lock_guard lock{mutex_};
  const auto found = identities_.find(path);
  if (found != identities_.end()) return found->second;
  return identities_.emplace(path, read_identity(path)).first->second;
}

const KnownHosts& KnownHostsStore::load(const std::vector<std::string>& files) {
  const std::lock_guard lock{mutex_};
  const auto found = known_.find(files);
  if (found != known_.end()) return found->second;
  return known_.emplace(files, KnownHosts::read(files)).first->second;
}

}  // namespace fabric::ssh
