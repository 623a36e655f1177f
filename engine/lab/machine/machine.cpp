// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/machine/machine.hpp"

namespace fabric::lab {

bool Machine::stopped() const {
  if (power_failed || !os_running) return true;
  if (power_fails_after && changes() >= *power_fails_after) return true;
  return shutdown_at && now >= *shutdown_at;
}

void Machine::start_clock() {
  booted = now;
  stood_still = Duration{0};
  shutdown_at.reset();
  power_failed = false;
  power_fails_after.reset();
  os_running = true;
}

MachineReply Machine::exec(
    const Network& /*network*/,
    std::string_view /*user*/,
    std::string_view /*line*/,
    std::string_view /*input*/) {
  return {1, "", "exec request failed\n", Duration{0}};
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char letter : text)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace fabric::lab
