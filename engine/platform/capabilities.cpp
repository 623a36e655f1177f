// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/capabilities.hpp"

namespace fabric::platform {

bool has(const HostPlatform& platform, Capability capability) {
  switch (capability) {
    case Capability::exit_status:
      return platform.has_exit_status();
    case Capability::files:
      return platform.file_writer() != nullptr;
    case Capability::node_lock:
      return platform.node_lock() != nullptr;
    case Capability::fencing:
      return platform.fencing() != nullptr;
    case Capability::rollback_timer:
      return platform.rollback_timer() != nullptr;
    case Capability::boot_proof:
      return platform.boot_proof() != nullptr;
    case Capability::own_records:
      return !platform.state_folder().empty() || platform.maintenance_mode() != nullptr;
    case Capability::path_tests:
      return platform.path_tests() != nullptr;
    case Capability::session_path:
      return platform.session_reader() != nullptr;
  }
  return false;
}

std::vector<CapabilityRow> capabilities(const HostPlatform& platform) {
  std::vector<CapabilityRow> rows{
      {Capability::exit_status,
       false,
       "exit status",
       "a refused command is recognised by its text, and success only by the read-back"},
      {Capability::files, false, "files", "a change that writes a file is refused"},
      {Capability::node_lock,
       false,
       "lock",
       "two runs could mix their changes: the node is read again before each action"},
      {Capability::fencing,
       false,
       "fencing",
       "commands that a run sent before its lease ran out may still change the node"},
      {Capability::rollback_timer,
       false,
       "rollback timer",
       "`apply` of a change that may cut off the node needs --allow-no-rollback"},
      {Capability::boot_proof,
       false,
       "boot proof",
       "a change that needs a reboot is left as it is"},
      {Capability::own_records,
       false,
       "own records",
       "a disruption with hooks is refused: the node can't record that a hook still has to run"},
      {Capability::path_tests,
       false,
       "path tests",
       "verify tests no paths from there, and says so"},
      {Capability::session_path,
       false,
       "session path",
       "a change of any interface or card is refused without --allow-mgmt-path"}};
  for (CapabilityRow& row : rows)
    row.present = has(platform, row.capability);
  return rows;
}

}  // namespace fabric::platform
