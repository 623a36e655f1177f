// SPDX-License-Identifier: Apache-2.0
// The subnet manager of an MLNX-OS switch, and its partitions.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/mlnx_os/lab/prompt.hpp"

namespace fabric::lab {

namespace {

constexpr Duration kLag{3'000};
// An address of a made-up vendor, as for other switches.
constexpr std::uint64_t kMaker = 0x00aa00b000000000;

// "0x0123": the key without the bit that tells full members from limited ones.
std::optional<std::uint16_t> key_of(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  const auto number = parse_unsigned(text.substr(2), 16);
  if (!number || *number < 2 || *number > kDefaultKey) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

// "e4:1d:2d:03:00:15:6e:80"
std::optional<std::uint64_t> guid_of(std::string_view text) {
  constexpr std::size_t kLength = 23;
  std::string digits;
  for (const char letter : text)
    if (letter != ':') digits += letter;
  return text.size() == kLength ? parse_unsigned(digits, 16) : std::nullopt;
}

}  // namespace

bool MlnxosMachine::wants_manager() const {
  return running.contains("ib sm") || running.contains("ib smnode " + name().str() + " enable");
}

// Stopped at once; the rest follows (E-onyx-sm).
void MlnxosMachine::note_manager() {
  const bool wanted = wants_manager();
  if (!wanted) manager.runs = false;
  if (wanted == manager.runs && wanted == manager.shown) {
    manager.catches_up.reset();
  } else if (!manager.catches_up) {
    manager.catches_up = now + kLag;
  }
}

void MlnxosMachine::catch_up() {
  manager.catches_up.reset();
  const bool wanted = wants_manager();
  manager.shown = wanted;
  if (wanted && !manager.runs)
    manager.knows_virtual_functions = running.contains("ib sm virt enable");
  manager.runs = wanted;
}

void MlnxosMachine::on_event(const Network& /*network*/) {
  if (manager.catches_up && now >= *manager.catches_up) catch_up();
}

std::uint64_t MlnxosMachine::node_guid() const {
  if (!infiniband) return 0;
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char letter : name().str())
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  return kMaker | ((hash & 0xffffffU) << 8U);
}

std::optional<std::uint32_t> MlnxosMachine::manager_priority() const {
  if (!manager.runs) return std::nullopt;
  const auto set = after("ib sm sm-priority");
  return static_cast<std::uint32_t>(set ? parse_integer(*set).value_or(0) : 0);
}

PartitionRules MlnxosMachine::own_partitions() const {
  PartitionRules rules;
  // The default partition always exists (E-onyx-partitions).
  PartitionRule& usual = rules[kDefaultKey];
  usual.ipoib = true;
  usual.self = true;
  bool has_members = false;
  for (const std::string& name : mlnxos::partitions(*this)) {
    const std::string start = "ib partition " + name;
    const auto set = after(start + " pkey");
    const auto key = name == "Default" ? std::optional{kDefaultKey}
                     : set             ? key_of(split_words(*set).front())
                                       : std::nullopt;
    if (!key) continue;
    PartitionRule& rule = rules[*key];
    rule.ipoib = rule.ipoib || after(start + " ipoib").has_value();
    if (const auto mtu = after(start + " mtu"))
      rule.mtu = mlnxos::bytes_of(split_words(*mtu).front()).value_or(rule.mtu);
    for (const auto& [who, type] : mlnxos::members(*this, name)) {
      has_members = has_members || name == "Default";
      if (who == "ALL") rule.all = type != "limited";
      if (const auto guid = guid_of(who)) rule.members[*guid] = type != "limited";
    }
  }
  if (!has_members) usual.all = true;
  return rules;
}

namespace mlnxos {

// "4K"
std::optional<std::uint32_t> bytes_of(std::string_view word) {
  constexpr std::pair<std::string_view, std::uint32_t> kWords[] = {
      {"256", 256}, {"512", 512}, {"1K", 1024}, {"2K", 2048}, {"4K", 4096}};
  for (const auto& [text, bytes] : kWords)
    if (word == text) return bytes;
  return std::nullopt;
}

std::vector<std::string> partitions(const MlnxosMachine& machine) {
  std::vector<std::string> names{"Default"};
  for (const std::string& line : machine.running) {
    const std::vector<std::string_view> words = split_words(std::string_view{line});
    constexpr std::size_t kName = 2;
    if (words.size() <= kName || words[0] != "ib" || words[1] != "partition") continue;
    if (std::ranges::find(names, words[kName]) == names.end()) names.emplace_back(words[kName]);
  }
  return names;
}

std::vector<std::pair<std::string, std::string>> members(
    const MlnxosMachine& machine, const std::string& partition) {
  std::vector<std::pair<std::string, std::string>> found;
  const std::string start = "ib partition " + partition + " member ";
  for (const std::string& line : machine.running) {
    if (!line.starts_with(start)) continue;
    const std::vector<std::string_view> words =
        split_words(std::string_view{line}.substr(start.size()));
    constexpr std::size_t kType = 2;  // "GUID type full force"
    found.emplace_back(words.front(), words.size() > kType ? words[kType] : "full");
  }
  if (found.empty() && partition == "Default") found.emplace_back("ALL", "full");
  return found;
}

namespace {

// "... member GUID type full force" (E-onyx-partitions)
std::string member_line(
    MlnxosMachine& machine, const std::string& start, const Words& words, bool no) {
  if (words.size() < 5) return unrecognized(words[3]);
  const std::string member = start + " member " + words[4];
  if (words[4] != "ALL" && !guid_of(words[4])) return "% Invalid port GUID\n";
  if (no) return unset(machine, member);
  const std::string type = words.size() > 6 && words[5] == "type" ? words[6] : "full";
  return set(machine, member, "type " + type + " force");
}

// "ib partition NAME pkey 0x0123 force", "... member GUID type full force", "... ipoib force"
// (E-onyx-partitions)
std::string partition_line(MlnxosMachine& machine, const Words& words, bool no) {
  if (words.size() < 3) return "% Incomplete command\n";
  const std::string& name = words[2];
  const std::string start = "ib partition " + name;
  const bool is_default = name == "Default";
  if (words.size() == 3) {
    if (!no) return "% Incomplete command\n";
    if (is_default) return "% The default partition can't be removed\n";
    return unset(machine, start);
  }
  if (words[3] == "pkey") {
    if (words.size() < 5 || !key_of(words[4])) return "% Invalid pkey\n";
    return set(machine, start + " pkey", words[4] + " force");
  }
  if (!is_default && !machine.after(start + " pkey"))
    return fmt::format("% Unknown partition {}\n", name);
  if (words[3] == "mtu") {
    if (no) return unset(machine, start + " mtu");
    if (words.size() < 5 || !bytes_of(words[4])) return "% Invalid MTU\n";
    return set(machine, start + " mtu", words[4] + " force");
  }
  if (words[3] == "member") return member_line(machine, start, words, no);
  if (words[3] == "ipoib" || words[3] == "defmember") {
    const std::string rest = words[3] == "ipoib" ? "force" : words.size() > 4 ? words[4] : "";
    return no ? unset(machine, start + " " + words[3]) : set(machine, start + " " + words[3], rest);
  }
  return unrecognized(words[3]);
}

}  // namespace

// E-onyx-sm, E-onyx-partitions, E-onyx-errors.
std::string infiniband_line(MlnxosMachine& machine, const Words& words, bool no) {
  if (words.size() < 2) return "% Incomplete command\n";
  const std::string line = join(words, " ");
  if (words[1] == "partition") return partition_line(machine, words, no);
  if (words[1] == "smnode" && words.size() == 4 && words[2] == machine.name().str() &&
      (words[3] == "enable" || words[3] == "disable")) {
    unset(machine, "ib smnode " + words[2]);
    if (words[3] == "enable") set(machine, line, "");
    machine.note_manager();
    return "";
  }
  if (words[1] != "sm") return unrecognized(words[1]);
  if (words.size() == 2) {
    machine.running.erase("ib sm");
    if (!no) machine.running.insert("ib sm");
    ++machine.changed;
    machine.note_manager();
    return "";
  }
  if (line == "ib sm virt enable") return set(machine, "ib sm virt", "enable");
  if (words[2] == "sm-priority") {
    const auto number = words.size() == 4 ? parse_integer(words[3]) : std::nullopt;
    if (!number || *number < 0 || *number > 15) return "% Priority must be from 0 to 15\n";
    return set(machine, "ib sm sm-priority", words[3]);
  }
  return unrecognized(words[2]);
}

namespace {

// E-onyx-partitions
std::string show_partitions(const MlnxosMachine& machine) {
  std::string text = "\n";
  for (const std::string& name : partitions(machine)) {
    const auto key = machine.after("ib partition " + name + " pkey");
    const bool ipoib = name == "Default" || machine.after("ib partition " + name + " ipoib");
    text += fmt::format(
        "{}:\n  PKey : {}\n  ipoib: {}\n\n  members:\n",
        name,
        key ? std::string{split_words(*key).front()} : "0x7FFF",
        ipoib ? "yes" : "no");
    for (const auto& [who, type] : members(machine, name))
      text += fmt::format("    GUID='{}' member='{}'\n", who, type);
    text += "\n";
  }
  return text;
}

const char* logical_state(const Network& network, const PortRef& port, bool up) {
  if (!up) return "Down";
  return network.is_managed(port) ? "Active" : "Initialize";
}

// E-onyx-interfaces
std::string show_ports(const MlnxosMachine& machine, const Network& network) {
  std::string text;
  for (const std::string& port : machine.front_ports()) {
    const PortRef ref{machine.name(), "", port};
    const bool enabled = !machine.running.contains("interface ib " + port + " shutdown");
    const bool up = enabled && network.has_link(ref);
    text += fmt::format(
        "IB{} state:\n"
        "        Logical port state          : {}\n"
        "        Physical port state         : {}\n"
        "        Current line rate           : {}\n"
        "        Max supported MTUs          : 4096\n"
        "        MTU                         : 4096\n"
        "        VL capabilities             : VL0 - VL7\n"
        "        Description                 :\n"
        "        IB Subnet                   : infiniband-default\n\n",
        port,
        logical_state(network, ref, up),
        !enabled ? "Disabled"
        : up     ? "LinkUp"
                 : "Polling",
        up ? "100.0 Gbps" : "-");
  }
  return text;
}

}  // namespace

// E-onyx-sm, E-onyx-partitions
std::optional<std::string> show_infiniband(
    const MlnxosMachine& machine, const Network& network, const std::string& line) {
  const MlnxosMachine::Manager& manager = machine.manager;
  if (line == "show ib sm") return manager.shown ? "enable\n" : "disable\n";
  if (line == "show ib sm sm-priority")
    return machine.after("ib sm sm-priority").value_or("0") + "\n";
  if (line == "show ib sm virt")
    return machine.running.contains("ib sm virt enable") ? "Enabled\n" : "Ignored\n";
  if (line == "show ib sm routing-info")
    return manager.runs ? "minhop\n" : "Connection to SM unavailable\n";
  if (line == "show ib smnode " + machine.name().str() + " sm-running")
    return manager.runs ? "active\n" : "not active\n";
  if (line == "show ib partition") return show_partitions(machine);
  if (line != "show interfaces ib") return std::nullopt;
  return show_ports(machine, network);
}

}  // namespace mlnxos
}  // namespace fabric::lab
