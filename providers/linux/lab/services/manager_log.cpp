// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/services/manager_log.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "providers/linux/lab/services/subnet_manager.hpp"

namespace fabric::lab {
namespace {

// "Nov 20 08:01:11 172000"; OpenSM writes local time, and the lab's hosts live by UTC.
std::string log_time(std::int64_t unix_milliseconds) {
  constexpr std::int64_t kSecond = 1000;
  const auto seconds = static_cast<std::time_t>(unix_milliseconds / kSecond);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%b %d %H:%M:%S", &utc);
  return fmt::format(
      "{} {:06}", std::string_view{text.data(), length}, unix_milliseconds % kSecond * kSecond);
}

// Written by the machine itself, so it counts as no change.
void log_line(
    LinuxHost& machine,
    const ManagerProcess& process,
    std::int64_t unix_milliseconds,
    std::string_view message) {
  const bool is_state = message.starts_with("Entering") || message.starts_with("Exiting");
  std::string text;
  machine.state.files.read(process.log_file, "root", text);
  text += fmt::format(
      "{} [7F3A16C0] 0x{} -> {}\n", log_time(unix_milliseconds), is_state ? "80" : "02", message);
  machine.state.files.install(process.log_file, std::move(text));
}

constexpr const char* kDiscovering = "DISCOVERING";
constexpr const char* kMaster = "MASTER";

struct PlaceOfPort {
  std::size_t card;
  std::uint32_t number;
};

std::optional<PlaceOfPort> place_of(const LinuxHost& machine, const ManagerProcess& process) {
  for (std::size_t card = 0; card < machine.state.cards.size(); ++card) {
    for (const CardPort& port : machine.state.cards[card].ports) {
      if (port.guid == process.guid) return PlaceOfPort{card, port.number};
    }
  }
  return std::nullopt;
}

// Without a link the state is unchanged: there is no other manager to take over.
std::string state_of(
    const LinuxHost& machine, const Network& network, const ManagerProcess& process) {
  const auto place = place_of(machine, process);
  if (!place) return kDiscovering;
  const auto subnet = network.subnet(machine, place->card, place->number);
  if (!subnet || subnet->managers.empty())
    return process.state.empty() ? kDiscovering : process.state;
  return subnet->managers.front().guid == process.guid ? kMaster : "STANDBY";
}

// In a subnet without switches OpenSM logs no routing.
bool sees_switches(
    const LinuxHost& machine, const Network& network, const ManagerProcess& process) {
  const auto place = place_of(machine, process);
  if (!place) return false;
  const std::vector<SweptNode> nodes = network.sweep(machine, place->card, place->number);
  return std::any_of(
      nodes.begin(), nodes.end(), [](const SweptNode& node) { return node.is_switch; });
}

}  // namespace

void settle_managers(LinuxHost& machine, const Network& network, std::int64_t unix_milliseconds) {
  for (auto& [unit, process] : machine.state.managers) {
    if (!manager_runs(machine, unit)) {
      process.state.clear();
      continue;
    }
    const std::string state = state_of(machine, network, process);
    if (state == process.state) continue;
    if (process.state.empty() && state != kDiscovering)
      log_line(machine, process, unix_milliseconds, fmt::format("Entering {} state", kDiscovering));
    log_line(machine, process, unix_milliseconds, fmt::format("Entering {} state", state));
    process.state = state;
    if (state != kMaster || !sees_switches(machine, network, process)) continue;
    log_line(
        machine,
        process,
        unix_milliseconds,
        fmt::format(
            "osm_ucast_mgr_process: {} tables configured on all switches", process.routing_engine));
  }
}

void log_exit(LinuxHost& machine, const ManagerProcess& process) {
  if (!process.state.empty()) log_line(machine, process, machine.unix_milliseconds(), "Exiting SM");
}

}  // namespace fabric::lab
