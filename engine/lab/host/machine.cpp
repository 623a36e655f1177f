#include "engine/lab/host/machine.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fabric::lab {

Machine::Machine(MachineProfile given, std::uint64_t seed)
    : profile{std::move(given)}, random{seed} {}

void Machine::note_change() {
  ++changes_;
}

bool Machine::stopped() const {
  if (power_failed || !os_running) return true;
  if (power_fails_after && changes() >= *power_fails_after) return true;
  return shutdown != ShutdownKind::none && now >= shutdown_at;
}

Interface* Machine::find_interface(std::string_view name) {
  const auto found = std::find_if(
      state.interfaces.begin(), state.interfaces.end(), [&](const Interface& candidate) {
        return candidate.name == name;
      });
  return found == state.interfaces.end() ? nullptr : &*found;
}

const Interface* Machine::find_interface(std::string_view name) const {
  const auto found = std::find_if(
      state.interfaces.begin(), state.interfaces.end(), [&](const Interface& candidate) {
        return candidate.name == name;
      });
  return found == state.interfaces.end() ? nullptr : &*found;
}

Interface* Machine::interface_of_port(std::size_t card, std::uint32_t port) {
  const auto found = std::find_if(
      state.interfaces.begin(), state.interfaces.end(), [&](const Interface& candidate) {
        return candidate.card == card && candidate.port == port;
      });
  return found == state.interfaces.end() ? nullptr : &*found;
}

bool Machine::user_exists(std::string_view user) const {
  return user == "root" ||
         std::find(profile.users.begin(), profile.users.end(), user) != profile.users.end();
}

std::string Machine::sysctl(const std::string& path, const std::string& otherwise) const {
  const auto found = state.sysctls.find(path);
  return found == state.sysctls.end() ? otherwise : found->second;
}

std::string make_uuid(Random& random) {
  const std::uint64_t high = (random.next() & ~0xF000ULL) | 0x4000ULL;
  const std::uint64_t low = (random.next() & ~(3ULL << 62U)) | (2ULL << 62U);
  return fmt::format(
      "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
      high >> 32U,
      (high >> 16U) & 0xFFFFU,
      high & 0xFFFFU,
      low >> 48U,
      low & 0xFFFFFFFFFFFFULL);
}

}  // namespace fabric::lab
