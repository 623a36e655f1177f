// SPDX-License-Identifier: Apache-2.0
// Environment: the common objects of all sessions of a run. Its stores may be used by several
// threads.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/node_name.hpp"
#include "engine/ssh/config/known_hosts.hpp"
#include "engine/ssh/config/target.hpp"
#include "engine/ssh/handles.hpp"
#include "engine/ssh/stop_signal.hpp"

namespace fabric::ssh {

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
