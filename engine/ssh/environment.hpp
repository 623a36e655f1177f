// SPDX-License-Identifier: Apache-2.0
// Environment: the common objects of all sessions of a run. Its stores may be used by several
// threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/node_name.hpp"
#include "engine/ssh/config/known_hosts.hpp"
#include "engine/ssh/config/target.hpp"
#include "engine/ssh/stop_signal.hpp"

// Declared so that no header has to include libssh.
struct ssh_session_struct;
struct ssh_channel_struct;
struct ssh_key_struct;

namespace fabric::ssh {

// Owners of libssh's objects.
struct FreeSession {
  void operator()(ssh_session_struct* session) const;
};
struct FreeChannel {
  void operator()(ssh_channel_struct* channel) const;
};
struct FreeKey {
  void operator()(ssh_key_struct* key) const;
};

// Disconnects before it frees. Channels must be gone before their session.
using SessionHandle = std::unique_ptr<ssh_session_struct, FreeSession>;
using ChannelHandle = std::unique_ptr<ssh_channel_struct, FreeChannel>;
using KeyHandle = std::unique_ptr<ssh_key_struct, FreeKey>;

// Private keys, read once, by fabric itself: the library writes a missing .pub beside the file.
class KeyStore {
 public:
  struct Identity {
    KeyHandle key;        // null if it can't be used
    std::string problem;  // why the key can't be used
    bool needs_passphrase = false;
    bool missing = false;
  };
  const Identity& load(const std::string& path);

 private:
  std::mutex mutex_;
  std::map<std::string, Identity> identities_;
};

// known_hosts files, parsed once per list of files.
class KnownHostsStore {
 public:
  const KnownHosts& load(const std::vector<std::string>& files);

 private:
  std::mutex mutex_;
  std::map<std::vector<std::string>, KnownHosts> known_;
};

struct Environment {
  const Options& options;
  const Clock& clock;
  StopSignal stop;
  KeyStore keys;
  KnownHostsStore known_hosts;
};

}  // namespace fabric::ssh
