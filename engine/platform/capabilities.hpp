// SPDX-License-Identifier: Apache-2.0
// Capabilities: the abilities of a platform besides answering probes, as a table, for people and
// for code that has to refuse.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/platform/host_platform.hpp"

namespace fabric::platform {

enum class Capability : std::uint8_t {
  exit_status,
  files,
  node_lock,
  fencing,
  rollback_timer,
  boot_proof,
  own_records,  // HostPlatform::state_folder(), or a maintenance mode that keeps one
  path_tests,
  session_path
};

struct CapabilityRow {
  Capability capability = Capability::exit_status;
  bool present = false;
  std::string_view name;     // "rollback timer"
  std::string_view without;  // the consequence if it is missing, a sentence
};

// All capabilities, in the order of the enum.
std::vector<CapabilityRow> capabilities(const HostPlatform& platform);
bool has(const HostPlatform& platform, Capability capability);

}  // namespace fabric::platform
