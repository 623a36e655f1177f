// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/services/subnet_manager.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/services/manager_log.hpp"
#include "providers/linux/lab/services/partition_file.hpp"

namespace fabric::lab {
namespace {

constexpr std::string_view kOptions = "/etc/opensm/opensm.conf";
constexpr const char* kPartitions = "/etc/opensm/partitions.conf";
constexpr std::uint64_t kHighestPriority = 15;
constexpr std::uint64_t kFirstNumber = 2000;

const CardPort* infiniband_port(const LinuxHost& machine, std::uint64_t guid) {
  for (const Card& card : machine.state.cards) {
    for (const CardPort& port : card.ports) {
      const bool meant = guid == 0 || port.guid == guid;
      if (meant && port.link_type == LinkType::infiniband) return &port;
    }
  }
  return nullptr;
}

std::uint64_t number(std::string_view text) {
  if (text.starts_with("0x")) return parse_unsigned(text.substr(2), 16).value_or(0);
  return parse_unsigned(text, 10).value_or(0);
}

struct Options {
  std::string file{kOptions};
  std::string partitions = kPartitions;
  std::string log_file = "/var/log/opensm.log";
  std::string routing_engine = "minhop";
  std::uint64_t guid = 0, priority = 0;

  void take(std::string_view key, std::string_view value) {
    if (key == "guid") guid = number(value);
    if (key == "sm_priority") priority = std::min(number(value), kHighestPriority);
    if (key == "partition_config_file") partitions = value;
    if (key == "log_file") log_file = value;
    if (key == "routing_engine") routing_engine = value.substr(0, value.find(','));
  }
};

// Names of opensm's command line, long and short, with the key of the options file that they set.
constexpr std::pair<std::string_view, std::string_view> kArguments[] = {
    {"--config", "file"},
    {"-F", "file"},
    {"--guid", "guid"},
    {"-g", "guid"},
    {"--priority", "sm_priority"},
    {"-p", "sm_priority"},
    {"--Pconfig", "partition_config_file"},
    {"-P", "partition_config_file"},
    {"--log_file", "log_file"},
    {"-f", "log_file"},
    {"--routing_engine", "routing_engine"},
    {"-R", "routing_engine"},
};

using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;

Pairs pairs_of(std::span<const std::string_view> arguments) {
  Pairs pairs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view name = arguments[i];
    std::string_view value = i + 1 < arguments.size() ? arguments[i + 1] : std::string_view{};
    const std::size_t equals = name.find('=');
    if (name.starts_with("--") && equals != std::string_view::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    for (const auto& [argument, key] : kArguments) {
      if (argument == name) pairs.emplace_back(key, value);
    }
  }
  return pairs;
}

Options options_of(const LinuxHost& machine, std::span<const std::string_view> arguments) {
  Options options;
  const Pairs given = pairs_of(arguments);
  for (const auto& [key, value] : given) {
    if (key == "file") options.file = value;
  }
  std::string text;
  machine.state.files.read(options.file, "root", text);
  for (const std::string_view line : split_lines(text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() > 1 && !words[0].starts_with('#')) options.take(words[0], words[1]);
  }
  for (const auto& [key, value] : given)
    options.take(key, value);
  return options;
}

std::optional<std::string> partitions_text(const LinuxHost& machine, const std::string& path) {
  std::string text;
  if (machine.state.files.read(path, "root", text) != FileError::none) return std::nullopt;
  return text;
}

}  // namespace

std::vector<std::string> manageable_ports(const LinuxHost& machine) {
  std::vector<std::string> guids;
  for (const Card& card : machine.state.cards) {
    for (const CardPort& port : card.ports) {
      if (port.link_type == LinkType::infiniband)
        guids.push_back(fmt::format("0x{:016x}", port.guid));
    }
  }
  return guids;
}

void start_manager(
    LinuxHost& machine,
    const std::string& unit,
    std::span<const std::string_view> arguments,
    bool restarts) {
  const Options options = options_of(machine, arguments);
  auto& managers = machine.state.managers;
  ManagerProcess process;
  const CardPort* port = infiniband_port(machine, options.guid);
  process.guid = options.guid == 0 && port != nullptr ? port->guid : options.guid;
  process.priority = static_cast<std::uint32_t>(options.priority);
  process.restarts = restarts;
  process.log_file = options.log_file;
  process.routing_engine = options.routing_engine;
  process.partitions = partitions_text(machine, options.partitions);
  process.partitions_file = options.partitions;
  for (const auto& [name, other] : managers)
    process.order = std::max(process.order, other.order + 1);
  managers[unit] = std::move(process);
  if (!restarts && !manager_runs(machine, unit)) managers.erase(unit);
  machine.note_change();
}

void stop_manager(LinuxHost& machine, const std::string& unit) {
  const auto found = machine.state.managers.find(unit);
  if (found == machine.state.managers.end()) return;
  log_exit(machine, found->second);
  machine.state.managers.erase(found);
  machine.note_change();
}

bool hang_up_manager(LinuxHost& machine, std::uint64_t number) {
  for (auto& [unit, process] : machine.state.managers) {
    if (process_number(process) != number || !manager_runs(machine, unit)) continue;
    // A standby makes none.
    process.groups = process.state == "MASTER" ? partitions_of(process) : PartitionRules{};
    process.partitions = partitions_text(machine, process.partitions_file);
    machine.note_change();
    return true;
  }
  return false;
}

std::uint64_t process_number(const ManagerProcess& process) {
  return kFirstNumber + process.order;
}

PartitionRules partitions_of(const ManagerProcess& process) {
  PartitionRules rules = partition_rules(process.partitions);
  for (const auto& [key, made] : process.groups) {
    const auto rule = rules.find(key);
    if (rule == rules.end() || !made.ipoib) continue;
    rule->second.ipoib = true;
    rule->second.mtu = made.mtu;
  }
  return rules;
}

bool has_manager(const LinuxHost& machine, const std::string& unit) {
  return machine.state.managers.contains(unit);
}

bool manager_runs(const LinuxHost& machine, const std::string& unit) {
  const auto found = machine.state.managers.find(unit);
  if (found == machine.state.managers.end()) return false;
  const ManagerProcess& process = found->second;
  if (infiniband_port(machine, process.guid) == nullptr) return false;
  return std::none_of(
      machine.state.managers.begin(), machine.state.managers.end(), [&](const auto& other) {
        return other.second.guid == process.guid && other.second.order < process.order;
      });
}

const ManagerProcess* manager_on(const LinuxHost& machine, std::size_t card, std::uint32_t port) {
  const std::uint64_t guid = machine.state.cards[card].ports[port - 1].guid;
  for (const auto& [unit, process] : machine.state.managers) {
    if (process.guid == guid && machine.os_running && manager_runs(machine, unit)) return &process;
  }
  return nullptr;
}

}  // namespace fabric::lab
