// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/host/linux_host.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fabric::lab {

LinuxHost::LinuxHost(MachineProfile given, std::uint64_t seed, const ProgramTable& programs_given)
    : Machine{*NodeName::parse(given.name), seed},
      profile{std::move(given)},
      programs{programs_given} {}

void LinuxHost::note_change() {
  ++changes_;
}

namespace {

template <class Interfaces, class Condition>
auto* find_where(Interfaces& interfaces, Condition condition) {
  const auto found = std::find_if(interfaces.begin(), interfaces.end(), condition);
  return found == interfaces.end() ? nullptr : &*found;
}

auto has_name(std::string_view name) {
  return [name](const Interface& candidate) {
    return candidate.name == name;
  };
}
auto has_index(std::uint32_t index) {
  return [index](const Interface& candidate) {
    return candidate.index == index;
  };
}
auto is_of_port(std::size_t card, std::uint32_t port) {
  return [card, port](const Interface& candidate) {
    return candidate.card == card && candidate.port == port;
  };
}

}  // namespace

Interface* LinuxHost::find_interface(std::string_view name) {
  return find_where(state.interfaces, has_name(name));
}
const Interface* LinuxHost::find_interface(std::string_view name) const {
  return find_where(state.interfaces, has_name(name));
}

Interface* LinuxHost::interface_of_index(std::uint32_t index) {
  return find_where(state.interfaces, has_index(index));
}
const Interface* LinuxHost::interface_of_index(std::uint32_t index) const {
  return find_where(state.interfaces, has_index(index));
}

Interface* LinuxHost::interface_of_port(std::size_t card, std::uint32_t port) {
  return find_where(state.interfaces, is_of_port(card, port));
}
const Interface* LinuxHost::interface_of_port(std::size_t card, std::uint32_t port) const {
  return find_where(state.interfaces, is_of_port(card, port));
}

bool LinuxHost::user_exists(std::string_view user) const {
  return user == "root" || std::ranges::find(profile.users, user) != profile.users.end();
}

bool LinuxHost::runs_service(const std::string& unit) const {
  const auto service = state.services.find(unit);
  return service != state.services.end() && service->second.active;
}

std::string LinuxHost::sysctl(const std::string& path, const std::string& otherwise) const {
  const auto found = state.sysctls.find(path);
  return found == state.sysctls.end() ? otherwise : found->second;
}

std::string make_uuid(Random& random, std::uint64_t origin) {
  const std::uint64_t high = ((random.next() ^ origin) & ~0xF000ULL) | 0x4000ULL;
  const std::uint64_t low = ((random.next() ^ origin) & ~(3ULL << 62U)) | (2ULL << 62U);
  return fmt::format(
      "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
      high >> 32U,
      (high >> 16U) & 0xFFFFU,
      high & 0xFFFFU,
      low >> 48U,
      low & 0xFFFFFFFFFFFFULL);
}

}  // namespace fabric::lab
