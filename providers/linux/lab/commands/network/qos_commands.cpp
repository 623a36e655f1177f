// SPDX-License-Identifier: Apache-2.0
// dcb of iproute2, mlnx_qos of the vendor: trust, flow control, priorities by DSCP (E-qos-host).
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/network/net_families.hpp"

namespace fabric::lab::commands {
namespace {

constexpr std::uint32_t kPriorities = 8;
constexpr std::uint32_t kDscps = 64;

std::optional<std::uint32_t> below(std::string_view text, std::uint32_t end) {
  const auto number = parse_unsigned(text, 10);
  if (!number || *number >= end) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

// Null: the interface has none of it.
PortQos* qos_of(Process& process, const std::string& name) {
  LinuxHost& machine = process.machine();
  const Interface* interface = machine.find_interface(name);
  if (interface == nullptr || !interface->card || interface->infiniband) return nullptr;
  return &machine.state.cards[*interface->card].ports[interface->port - 1].qos;
}

std::string class_name(std::uint32_t dscp) {
  if (dscp == 0) return "default";
  if (dscp == 46) return "EF";
  if (dscp % 8 == 0) return fmt::format("CS{}", dscp / 8);
  if (dscp % 2 == 0 && dscp > 8 && dscp < 40 && dscp % 8 < 7)
    return fmt::format("AF{}{}", dscp / 8, dscp % 8 / 2);
  return std::to_string(dscp);
}

// "26:3", "3:on"
std::optional<std::pair<std::string, std::string>> pair_of(const std::string& word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos) return std::nullopt;
  return std::pair{word.substr(0, colon), word.substr(colon + 1)};
}

class Dcb {
 public:
  Dcb(Process& process, bool numeric, std::vector<std::string> words)
      : process_{process}, numeric_{numeric}, words_{std::move(words)} {}

  // "pfc show dev IF", "pfc set dev IF prio-pfc 3:on"
  int run() {
    if (words_.size() < 4 || words_[2] != "dev") return usage();
    const std::string& verb = words_[1];
    if (process_.machine().find_interface(words_[3]) == nullptr) return refused("No such device");
    qos_ = qos_of(process_, words_[3]);
    if (qos_ == nullptr) return refused("Operation not supported");
    if (verb != "show") {
      if (!process_.root()) return refused("Operation not permitted");
      process_.machine().note_change();
    }
    const std::vector<std::string> given{words_.begin() + 4, words_.end()};
    if (words_[0] == "pfc") return verb == "show" ? show_pfc() : set_pfc(given);
    if (words_[0] == "app") return verb == "show" ? show_app() : set_app(verb, given);
    if (words_[0] == "dcbx") return verb == "show" ? show_dcbx() : set_dcbx(given);
    return usage();
  }

 private:
  int usage() {
    process_.err("Usage: dcb [ OPTIONS ] OBJECT { COMMAND | help }\n");
    return 1;
  }
  int refused(std::string_view why) {
    process_.err(fmt::format("Attribute read: {}\n", why));
    return 1;
  }

  int show_pfc() {
    std::string line = "prio-pfc";
    for (std::uint32_t priority = 0; priority < kPriorities; ++priority)
      line += fmt::format(" {}:{}", priority, qos_->pfc.contains(priority) ? "on" : "off");
    process_.out("pfc-cap 8 macsec-bypass off delay 0 \n" + line + " \n");
    return 0;
  }

  // From left to right: "all:off 3:on".
  int set_pfc(const std::vector<std::string>& given) {
    if (given.empty() || given[0] != "prio-pfc") return usage();
    for (std::size_t i = 1; i < given.size(); ++i) {
      const auto pair = pair_of(given[i]);
      if (!pair || (pair->second != "on" && pair->second != "off")) return usage();
      const auto priority = below(pair->first, kPriorities);
      if (!priority && pair->first != "all") return usage();
      for (std::uint32_t each = 0; each < kPriorities; ++each) {
        if (priority && each != *priority) continue;
        if (pair->second == "on") {
          qos_->pfc.insert(each);
        } else {
          qos_->pfc.erase(each);
        }
      }
    }
    return 0;
  }

  int show_app() {
    if (qos_->dscp_priorities.empty()) return 0;
    std::string line = "dscp-prio";
    for (const auto& [dscp, priority] : qos_->dscp_priorities)
      line += fmt::format(" {}:{}", numeric_ ? std::to_string(dscp) : class_name(dscp), priority);
    process_.out(line + " \n");
    return 0;
  }

  int set_app(const std::string& verb, const std::vector<std::string>& given) {
    if (given.empty() || given[0] != "dscp-prio") return usage();
    if (verb == "flush") qos_->dscp_priorities.clear();
    for (std::size_t i = 1; i < given.size() && verb != "flush"; ++i) {
      const auto pair = pair_of(given[i]);
      const auto dscp = pair ? below(pair->first, kDscps) : std::nullopt;
      const auto priority = pair ? below(pair->second, kPriorities) : std::nullopt;
      if (!dscp || !priority) return usage();
      if (verb == "del") {
        qos_->dscp_priorities.erase(*dscp);
      } else {
        qos_->dscp_priorities[*dscp] = *priority;
      }
    }
    // As in mlx5: the first entry makes the port trust DSCP.
    qos_->trust_dscp = !qos_->dscp_priorities.empty();
    return 0;
  }

  int show_dcbx() {
    process_.out(qos_->dcbx_by_host ? "host ieee \n" : "ieee \n");
    return 0;
  }

  int set_dcbx(const std::vector<std::string>& given) {
    qos_->dcbx_by_host = false;
    for (const std::string& each : given)
      qos_->dcbx_by_host = qos_->dcbx_by_host || each == "host";
    return 0;
  }

  Process& process_;
  bool numeric_;
  std::vector<std::string> words_;
  PortQos* qos_ = nullptr;
};

// Eight DSCPs a line at most, from above.
std::string dscp_table(const PortQos& qos) {
  std::array<std::vector<std::uint32_t>, kPriorities> by_priority;
  for (std::uint32_t dscp = kDscps; dscp-- > 0;) {
    const auto set = qos.dscp_priorities.find(dscp);
    by_priority.at(set == qos.dscp_priorities.end() ? dscp / 8 : set->second).push_back(dscp);
  }
  std::string text = "dscp2prio mapping:\n";
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    const std::vector<std::uint32_t>& dscps = by_priority.at(priority);
    for (std::size_t i = 0; i < dscps.size(); ++i) {
      if (i % 8 == 0) text += fmt::format("{}\tprio:{} dscp:", i == 0 ? "" : "\n", priority);
      text += fmt::format("{:02},", dscps[i]);
    }
    if (!dscps.empty()) text += "\n";
  }
  return text;
}

void show_all(Process& process, const PortQos& qos) {
  std::string text = fmt::format(
      "DCBX mode: {} controlled\nPriority trust state: {}\n",
      qos.dcbx_by_host ? "OS" : "Firmware",
      qos.trust_dscp ? "dscp" : "pcp");
  if (qos.trust_dscp) text += dscp_table(qos);
  text +=
      "default priority:\nReceive buffer size (bytes): 20016,156096,0,0,0,0,0,0,\n"
      "Cable len: 7\nPFC configuration:\n"
      "\tpriority    0   1   2   3   4   5   6   7\n\tenabled     ";
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority)
    text += fmt::format("{}   ", qos.pfc.contains(priority) ? 1 : 0);
  text += "\n\tbuffer      0   0   0   0   0   0   0   0   \n";
  for (std::uint32_t traffic = 0; traffic < kPriorities; ++traffic) {
    const std::uint32_t priority = traffic < 2 ? 1 - traffic : traffic;
    text += fmt::format(
        "tc: {} ratelimit: unlimited, tsa: vendor\n\t priority:  {}\n", traffic, priority);
  }
  process.out(text);
}

// "0,0,0,1,0,0,0,0"
bool take_pfc(const std::string& value, PortQos& qos) {
  const std::vector<std::string_view> flags = split(value, ',');
  if (flags.size() != kPriorities) return false;
  qos.pfc.clear();
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    if (flags[priority] == "1") qos.pfc.insert(priority);
  }
  return true;
}

// "set,26,3"
bool take_mapping(const std::string& value, PortQos& qos) {
  const std::vector<std::string_view> parts = split(value, ',');
  if (parts.size() != 3) return false;
  const auto dscp = below(parts[1], kDscps);
  const auto priority = below(parts[2], kPriorities);
  if (!dscp || !priority) return false;
  if (parts[0] == "del") {
    qos.dscp_priorities.erase(*dscp);
    if (qos.dscp_priorities.empty()) qos.trust_dscp = false;
  } else {
    qos.dscp_priorities[*dscp] = *priority;
  }
  return true;
}

bool take_option(const std::string& option, const std::string& value, PortQos& qos) {
  if (option == "--trust" && (value == "dscp" || value == "pcp")) {
    qos.trust_dscp = value == "dscp";
    if (!qos.trust_dscp) qos.dscp_priorities.clear();
    return true;
  }
  if (option == "--pfc") return take_pfc(value, qos);
  if (option == "--dscp2prio") return take_mapping(value, qos);
  if (option == "-d" || option == "--dcbx") {
    qos.dcbx_by_host = value == "os";
    return true;
  }
  return false;
}

}  // namespace

int ethtool_statistics(Process& process, const Interface& interface) {
  const PortQos* qos = qos_of(process, interface.name);
  if (qos == nullptr) {
    process.err("no stats available\n");
    return 94;
  }
  // Counters of a priority exist while flow control is on for it (E-qos-counters).
  std::string text = "NIC statistics:\n     rx_discards_phy: 0\n     tx_discards_phy: 0\n";
  for (const std::uint32_t priority : qos->pfc) {
    for (const std::string_view way : {"rx", "tx"})
      text += fmt::format("     {}_prio{}_pause: 0\n", way, priority);
  }
  process.out(text);
  return 0;
}

int dcb(Process& process) {
  bool numeric = false;
  std::vector<std::string> words;
  for (std::size_t i = 1; i < process.arguments.size(); ++i) {
    const std::string& word = process.arguments[i];
    if (word == "-N") {
      numeric = true;
    } else {
      words.push_back(word);
    }
  }
  return Dcb{process, numeric, std::move(words)}.run();
}

int mlnx_qos(Process& process) {
  const std::vector<std::string>& words = process.arguments;
  if (words.size() < 3 || words[1] != "-i") return process.fail(1, "Interface name is required");
  PortQos* qos = qos_of(process, words[2]);
  if (qos == nullptr) {
    process.err(fmt::format("Interface {} is not supported\n", words[2]));
    return 1;
  }
  for (std::size_t i = 3; i < words.size(); i += 2) {
    const std::string value = i + 1 < words.size() ? words[i + 1] : "";
    if (!process.root()) return process.fail(1, "Operation not permitted");
    process.machine().note_change();
    if (!take_option(words[i], value, *qos))
      return process.fail(2, fmt::format("error: bad option {} {}", words[i], value));
  }
  show_all(process, *qos);
  return 0;
}

}  // namespace fabric::lab::commands
