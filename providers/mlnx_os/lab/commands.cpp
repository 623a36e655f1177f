// SPDX-License-Identifier: Apache-2.0
// The lines of the configuration mode of a switch with Onyx.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/mlnx_os/lab/prompt.hpp"

namespace fabric::lab::mlnxos {

namespace {

// E-onyx-errors
std::string incomplete() {
  return "% Incomplete command\n";
}

bool is_port(const MlnxosMachine& machine, const std::string& port) {
  const std::vector<std::string> ports = machine.front_ports();
  return std::find(ports.begin(), ports.end(), port) != ports.end();
}

bool is_number(const std::string& text, std::int64_t from, std::int64_t to) {
  const auto number = parse_integer(text);
  return number && *number >= from && *number <= to;
}

bool is_vlan(const std::string& text) {
  return is_number(text, 1, 4094);
}

// "mtu 9000 force": without `force` the port has to be shut first (E-onyx-writing).
std::string set_mtu(MlnxosMachine& machine, const std::string& start, const Words& words) {
  if (words.size() < 5) return incomplete();
  if (!is_number(words[4], 1500, 9216)) return "% Invalid MTU value\n";
  const bool force = words.size() > 5 && words[5] == "force";
  if (!force && !machine.running.contains(start + " shutdown"))
    return "% Interface must be in shutdown state\n";
  return set(machine, start + " mtu", words[4] + " force");
}

// "channel-group 4 mode active", "mlag-channel-group 4 mode on"
// E-onyx-writing, E-onyx-mlag; the words of a refusal are ours, its `%` is the switch's
// (E-onyx-errors).
std::string join_channel(MlnxosMachine& machine, const std::string& start, const Words& words) {
  const std::string kind = words[3] == "channel-group" ? "port-channel" : "mlag-port-channel";
  if (words.size() != 7 || words[5] != "mode") return incomplete();
  if (!machine.running.contains("interface " + kind + " " + words[4]))
    return fmt::format("% {} {} does not exist\n", kind, words[4]);
  const bool lacp = words[6] == "active" || words[6] == "passive";
  if (!lacp && words[6] != "on") return unrecognized(words[6]);
  if (lacp && !machine.running.contains("lacp")) return "% LACP is not enabled\n";
  if (!machine.channel_of(words[2]).empty())
    return "% Port is already a member of a port-channel\n";
  const auto speed = machine.after(start + " speed");
  for (const std::string& port : machine.front_ports()) {
    if (machine.channel_interface_of(port) != kind + " " + words[4]) continue;
    if (machine.after("interface ethernet " + port + " speed") != speed)
      return fmt::format("% Speed of Eth{} does not match the port-channel\n", words[2]);
  }
  machine.erase(start + " mtu");  // it has that of the channel
  machine.erase(start + " switchport");
  return set(machine, start + " " + words[3], fmt::format("{} mode {}", words[4], words[6]));
}

// "switchport mode hybrid", "switchport access vlan 1", "switchport hybrid allowed-vlan add 100"
// E-onyx-vlans, E-onyx-errors.
std::string switchport(
    MlnxosMachine& machine, const std::string& start, const Words& words, bool no) {
  if (words.size() == 4) {
    machine.erase(start + " no switchport");
    return no ? set(machine, start + " no switchport", "force") : "";
  }
  if (words.size() < 6) return incomplete();
  if (words[4] == "mode") {
    machine.erase(start + " switchport");
    return words[5] == "access" ? "" : set(machine, start + " switchport mode", words[5]);
  }
  if (words[4] == "access" && words[5] == "vlan" && words.size() == 7 && is_vlan(words[6])) {
    if (words[6] != "1" && !machine.running.contains("vlan " + words[6]))
      return fmt::format("% VLAN {} does not exist\n", words[6]);
    return set(machine, start + " switchport access vlan", words[6]);
  }
  const std::string mode = machine.after(start + " switchport mode").value_or("access");
  if ((words[4] != "hybrid" && words[4] != "trunk") || words[5] != "allowed-vlan" ||
      words.size() < 8)
    return unrecognized(words[4]);
  if (mode != words[4]) return fmt::format("% Interface is not in {} mode\n", words[4]);
  const std::string line =
      fmt::format("{} switchport {} allowed-vlan add {}", start, mode, words[7]);
  if (!is_vlan(words[7])) return "% Invalid VLAN\n";
  if (words[6] == "remove") return unset(machine, line);
  if (!machine.running.contains("vlan " + words[7]))
    return fmt::format("% VLAN {} does not exist\n", words[7]);
  return words[6] == "add" ? set(machine, line, "") : unrecognized(words[6]);
}

// Lines of an Ethernet port or a channel, "interface ethernet 1/7 ...".
std::string port_line(MlnxosMachine& machine, const Words& words, bool no) {
  const std::string start = join({words.begin(), words.begin() + 3}, " ");
  const bool channel = words[1] != "ethernet";
  if (words[3] == "shutdown") {
    machine.erase(start + " no shutdown");
    unset(machine, start + " shutdown");
    if (!no) return set(machine, start + " shutdown", "");
    return words[1] == "mlag-port-channel" ? set(machine, start + " no shutdown", "") : "";
  }
  if (words[3] == "description")
    return no ? unset(machine, start + " description")
              : set(machine, start + " description", join({words.begin() + 4, words.end()}, " "));
  if (words[3] == "mtu")
    return no ? unset(machine, start + " mtu") : set_mtu(machine, start, words);
  if (words[3] == "switchport") return switchport(machine, start, words, no);
  if (words[3] == "ipl" && words[1] == "port-channel")
    return no ? unset(machine, start + " ipl") : set(machine, start + " ipl", "1");
  if (words[3] == "speed" && no) return unset(machine, start + " speed");
  if (words[3] == "speed" && words.size() > 4)
    return set(machine, start + " speed", words[4] + " force");
  if ((words[3] == "channel-group" || words[3] == "mlag-channel-group") && !channel)
    return no ? unset(machine, start + " " + words[3]) : join_channel(machine, start, words);
  return unrecognized(words[3]);
}

// E-onyx-writing, E-onyx-mlag, E-onyx-errors.
std::string channel_line(MlnxosMachine& machine, const Words& words, bool no) {
  const bool pair = words[1] == "mlag-port-channel";
  if (pair && !machine.running.contains("protocol mlag")) return unrecognized(words[1]);
  if (!is_number(words[2], 1, pair ? 1000 : 4096))
    return fmt::format("% Invalid interface {}\n", words[2]);
  const std::string start = join({words.begin(), words.begin() + 3}, " ");
  if (words.size() > 3) {
    if (machine.running.contains(start)) return port_line(machine, words, no);
    return fmt::format("% {} {} does not exist\n", words[1], words[2]);
  }
  if (no) {
    for (const std::string& port : machine.front_ports()) {
      if (machine.channel_interface_of(port) == words[1] + " " + words[2])
        return "% The port-channel has members\n";
    }
    return unset(machine, start);
  }
  machine.running.insert(start);
  ++machine.changed;
  return "";
}

// "interface vlan 4000 ip address 192.168.255.253 255.255.255.252", "... ipl 1 peer-address A"
// E-onyx-mlag, E-onyx-errors.
std::string vlan_interface_line(MlnxosMachine& machine, const Words& words, bool no) {
  if (!is_vlan(words[2])) return "% Invalid VLAN\n";
  if (!machine.running.contains("vlan " + words[2]))
    return fmt::format("% VLAN {} does not exist\n", words[2]);
  const std::string start = join({words.begin(), words.begin() + 3}, " ");
  if (words.size() == 3) {
    if (no) return unset(machine, start);
    machine.running.insert(start);
    ++machine.changed;
    return "";
  }
  if (words[3] != "ip" && words[3] != "ipl") return unrecognized(words[3]);
  const std::string rest = join({words.begin() + 4, words.end()}, " ");
  return no ? unset(machine, start + " " + words[3]) : set(machine, start + " " + words[3], rest);
}

// E-onyx-writing, E-onyx-errors.
std::string interface_line(MlnxosMachine& machine, const Words& words, bool no) {
  if (words.size() < 3) return incomplete();
  if (words[1] == "ib" && machine.infiniband) {
    if (!is_port(machine, words[2])) return fmt::format("% Invalid interface {}\n", words[2]);
    if (words.size() == 3) return no ? incomplete() : "";
    if (words[3] != "shutdown") return unrecognized(words[3]);
    const std::string line = join({words.begin(), words.begin() + 4}, " ");
    return no ? unset(machine, line) : set(machine, line, "");
  }
  if (machine.infiniband) return unrecognized(words[1]);
  if (words[1] == "vlan") return vlan_interface_line(machine, words, no);
  if (words[1] == "port-channel" || words[1] == "mlag-port-channel")
    return channel_line(machine, words, no);
  if (words[1] != "ethernet") return unrecognized(words[1]);
  if (!is_port(machine, words[2])) return fmt::format("% Invalid interface {}\n", words[2]);
  if (words.size() == 3) return no ? incomplete() : "";
  return port_line(machine, words, no);
}

// "mlag system-mac M", "mlag shutdown", "mlag-vip DOMAIN ip A /24 force"
std::string pair_line(MlnxosMachine& machine, const Words& words, bool no) {
  if (!machine.running.contains("protocol mlag")) return unrecognized(words[0]);
  if (words[0] == "mlag-vip") {
    if (no) return unset(machine, "mlag-vip");
    if (words.size() < 5 || words[2] != "ip") return incomplete();
    return set(machine, "mlag-vip", join({words.begin() + 1, words.begin() + 5}, " ") + " force");
  }
  if (words.size() < 2) return incomplete();
  if (words[1] == "shutdown") {
    machine.running.erase("no mlag shutdown");
    ++machine.changed;
    if (no) machine.running.insert("no mlag shutdown");
    return "";
  }
  if (words[1] != "system-mac" || words.size() != 3) return unrecognized(words[1]);
  return set(machine, "mlag system-mac", words[2]);
}

// E-onyx-vlans, E-onyx-errors.
std::string vlan_line(MlnxosMachine& machine, const Words& words, bool no) {
  if (words.size() != 2 || !is_vlan(words[1])) return "% Invalid VLAN\n";
  return no ? unset(machine, "vlan " + words[1]) : set(machine, "vlan " + words[1], "");
}

// "roce", "roce lossy": from 3.8.2000.
std::string roce_line(MlnxosMachine& machine, const Words& words, bool no) {
  if (no) return unset(machine, "roce");
  const std::string mode = words.size() < 2 ? "lossless" : words[1];
  if (mode != "lossless" && mode != "semi-lossless" && mode != "lossy") return unrecognized(mode);
  return set(machine, "roce", mode);
}

// E-onyx-load-balance.
std::string balance_line(MlnxosMachine& machine, const Words& words, bool no) {
  constexpr std::string_view kStart = "port-channel load-balance ethernet";
  if (words.size() < 3 || words[1] != "load-balance" || words[2] != "ethernet")
    return words.size() < 3 ? incomplete() : unrecognized(words[1]);
  if (no) return unset(machine, std::string{kStart});
  const Words looked_at{words.begin() + 3, words.end()};
  return looked_at.empty() ? incomplete() : set(machine, std::string{kStart}, join(looked_at, " "));
}

// True for a line about the whole switch, on or off.
bool is_switch_of_system(const std::string& line) {
  return line == "lacp" || line == "lldp" || line == "ip routing" || line == "protocol mlag";
}

}  // namespace

// E-onyx-errors
std::string unrecognized(const std::string& word) {
  return fmt::format("% Unrecognized command \"{}\".\nType \"?\" for help.\n", word);
}

std::string set(MlnxosMachine& machine, const std::string& start, const std::string& rest) {
  machine.erase(start);
  machine.running.insert(rest.empty() ? start : start + " " + rest);
  ++machine.changed;
  return "";
}

std::string unset(MlnxosMachine& machine, const std::string& start) {
  machine.erase(start);
  ++machine.changed;
  return "";
}

std::string configure(MlnxosMachine& machine, const Words& given) {
  const bool no = given[0] == "no";
  const Words words{given.begin() + (no ? 1 : 0), given.end()};
  if (words.empty()) return incomplete();
  if (words[0] == "interface") return interface_line(machine, words, no);
  if (words[0] == "ib" && machine.infiniband) return infiniband_line(machine, words, no);
  const std::string line = join(words, " ");
  if (no && line == "protocol mlag")  // all of it goes (E-onyx-mlag)
    std::erase_if(machine.running, [](const std::string& each) {
      return each.find("mlag") != std::string::npos;
    });
  if (is_switch_of_system(line) && !machine.infiniband)
    return no ? unset(machine, line) : set(machine, line, "");
  if (machine.infiniband) return unrecognized(words[0]);
  if (words[0] == "roce") return roce_line(machine, words, no);
  if (words[0] == "port-channel") return balance_line(machine, words, no);
  if (words[0] == "vlan") return vlan_line(machine, words, no);
  if (words[0] == "mlag" || words[0] == "mlag-vip") return pair_line(machine, words, no);
  return unrecognized(words[0]);
}

}  // namespace fabric::lab::mlnxos
