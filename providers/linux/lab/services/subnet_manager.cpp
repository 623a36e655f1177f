// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/services/subnet_manager.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"

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
  return std::ranges::any_of(nodes, [](const SweptNode& node) { return node.is_switch; });
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

namespace {

std::string without_comments(std::string_view text) {
  std::string rest;
  for (const std::string_view line : split_lines(text)) {
    rest += line.substr(0, line.find('#'));
    rest += ' ';
  }
  return rest;
}

std::optional<std::uint64_t> number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_unsigned(text.substr(2), 16);
  return parse_unsigned(text, 10);
}

// "full", "limited" or the beginning of it; nullopt is a mistake.
std::optional<bool> membership(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (std::string_view{"full"}.starts_with(text) || text == "both") return true;
  if (std::string_view{"limited"}.starts_with(text)) return false;
  return std::nullopt;
}

struct Setting {
  std::string_view name, value;
};

Setting setting_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {trim(text), {}};
  return {trim(text.substr(0, equals)), trim(text.substr(equals + 1))};
}

// A number that is no code of an MTU has no effect, silently (case C).
void take_flag(const Setting& flag, PartitionRule& rule, bool& full) {
  constexpr std::array<std::uint32_t, 6> kBytes{0, 256, 512, 1024, 2048, 4096};
  if (flag.name == "ipoib") rule.ipoib = true;
  if (flag.name == "defmember") full = membership(flag.value).value_or(false);
  if (flag.name != "mtu") return;
  const std::uint64_t code = number(flag.value).value_or(0);
  if (code > 0 && code < kBytes.size()) rule.mtu = kBytes.at(code);
}

bool take_member(std::string_view text, bool otherwise, PartitionRule& rule) {
  const Setting member = setting_of(text);
  std::optional<bool> full = otherwise;
  if (text.find('=') != std::string_view::npos) full = membership(member.value);
  if (!full) return false;
  if (member.name == "ALL" || member.name == "ALL_CAS") {
    // Seen with OpenSM 3.3.23: of two that are about one port the later one counts.
    rule.all = *full;
    rule.self.reset();
    rule.members.clear();
  } else if (member.name == "SELF") {
    rule.self = *full;
  } else if (member.name != "ALL_SWITCHES" && member.name != "ALL_ROUTERS") {
    const std::optional<std::uint64_t> guid = number(member.name);
    if (!guid) return false;
    rule.members[*guid] = *full;
  }
  return true;
}

// Reads one definition up to its semicolon; false for a mistake.
bool take_definition(std::string_view text, PartitionRules& rules) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::vector<std::string_view> head = split(text.substr(0, colon), ',');
  const Setting name = setting_of(head.front());
  std::optional<std::uint64_t> key = number(name.value);
  if (name.value.empty() && name.name == "Default") key = kDefaultKey;
  if (!key || *key > 0xffff) return false;
  PartitionRule& rule = rules[static_cast<std::uint16_t>(*key & kDefaultKey)];
  bool full = false;
  for (std::size_t i = 1; i < head.size(); ++i)
    take_flag(setting_of(head[i]), rule, full);
  for (const std::string_view member : split(text.substr(colon + 1), ',')) {
    if (!trim(member).empty() && !take_member(trim(member), full, rule)) return false;
  }
  return true;
}

// Without a file or with one that is in error.
PartitionRules standard_rules() {
  PartitionRule rule;
  rule.ipoib = true;
  rule.all = true;
  return {{kDefaultKey, rule}};
}

}  // namespace

PartitionRules partition_rules(const std::optional<std::string>& text) {
  if (!text) return standard_rules();
  // OpenSM makes it first, and the file only adds: the manager is a full member, every other port a
  // limited one (case A).
  PartitionRule first;
  first.all = false;
  first.self = true;
  PartitionRules rules{{kDefaultKey, first}};
  const std::string rest = without_comments(*text);
  std::string_view left = rest;
  while (!trim(left).empty()) {
    const std::size_t end = left.find(';');
    if (end == std::string_view::npos || !take_definition(left.substr(0, end), rules))
      return standard_rules();
    left = left.substr(end + 1);
  }
  return rules;
}

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

struct Options {
  std::string file{kOptions};
  std::string partitions = kPartitions;
  std::string log_file = "/var/log/opensm.log";
  std::string routing_engine = "minhop";
  std::uint64_t guid = 0, priority = 0;

  void take(std::string_view key, std::string_view value) {
    if (key == "guid") guid = number(value).value_or(0);
    if (key == "sm_priority") priority = std::min(number(value).value_or(0), kHighestPriority);
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
  return std::ranges::none_of(machine.state.managers, [&](const auto& other) {
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
