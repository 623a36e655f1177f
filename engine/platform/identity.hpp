// SPDX-License-Identifier: Apache-2.0
// Who a node is and what it runs, as far as its platform can tell.
#pragma once

#include <string>

namespace fabric::platform {

// "" = unknown.
struct Identity {
  std::string machine_id;  // of this machine alone, as long as it lives
  std::string boot_id;     // of this boot alone: another one proves that the machine has booted
  std::string hostname;
  std::string kernel;      // the release of it
  std::string os_id;       // "debian"
  std::string os_version;  // "12"
};

// Whether both are of one running machine: a boot id is of one kernel and one boot, whoever asks
// for it in whichever container. Where one of them is not known the machine id decides; a name or
// an address never does. Machines that were cloned have one machine id and boot each for itself.
inline bool is_same_machine(const Identity& one, const Identity& other) {
  if (!one.boot_id.empty() && !other.boot_id.empty()) return one.boot_id == other.boot_id;
  return !one.machine_id.empty() && one.machine_id == other.machine_id;
}

}  // namespace fabric::platform
