// SPDX-License-Identifier: Apache-2.0
// The identity of a node and its system, as far as its platform can read it.
#pragma once

#include <string>

namespace fabric::platform {

// "" = unknown.
struct Identity {
  std::string machine_id;  // unique and constant for this machine
  std::string boot_id;     // unique for this boot: another id proves that it has booted
  std::string hostname;
  std::string kernel;      // release of the kernel
  std::string os_id;       // "debian"
  std::string os_version;  // "12"
};

// True if both identities are of one running machine: a boot id is of one kernel and one boot, in
// whichever container it is read. If a boot id is unknown the machine id decides; a name or an
// address never does. Cloned machines have one machine id, and each boots for itself.
inline bool is_same_machine(const Identity& one, const Identity& other) {
  if (!one.boot_id.empty() && !other.boot_id.empty()) return one.boot_id == other.boot_id;
  return !one.machine_id.empty() && one.machine_id == other.machine_id;
}

}  // namespace fabric::platform
