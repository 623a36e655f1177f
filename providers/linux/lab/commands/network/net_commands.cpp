// SPDX-License-Identifier: Apache-2.0
// ethtool lldpcli netplan
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/network/net_families.hpp"
#include "providers/linux/lab/kernel/ports.hpp"
#include "providers/linux/lab/network/netplan.hpp"

namespace fabric::lab::commands {

namespace {

int ethtool_driver(Process& process, const Interface& interface) {
  std::string driver = "e1000e";
  std::string firmware = "0.5-4";
  std::string bus = "0000:00:1f.6";
  if (interface.card) {
    const Card& card = process.machine().state.cards[*interface.card];
    driver = card.mlx4() ? "mlx4_en" : card.hardware.driver;
    if (interface.infiniband) driver = card.mlx4() ? "ib_ipoib" : "mlx5_core[ib_ipoib]";
    firmware = card.mlx4() ? card.firmware : fmt::format("{} ({})", card.firmware, card.psid);
    bus = card.function_of(interface.port);
  }
  if (interface.is_virtual() && !interface.ipoib) {
    driver = interface.bond ? "bonding" : "802.1Q VLAN Support";
    firmware = interface.bond ? "2" : "N/A";
    bus = "";
  }
  process.out(fmt::format(
      "driver: {}\nversion: 6.1.0-26-amd64\nfirmware-version: {}\nexpansion-rom-version: "
      "\nbus-info: {}\n"
      "supports-statistics: yes\nsupports-test: yes\nsupports-eeprom-access: "
      "no\nsupports-register-dump: no\nsupports-priv-flags: yes\n",
      driver,
      firmware,
      bus));
  return 0;
}

// The modes of the card, slowest first, one a line after the first (E-link-speed).
std::string supported_modes(const LinuxHost& machine, const Interface& interface) {
  if (!interface.card || interface.infiniband) return "\tSupported link modes:   Not reported\n";
  std::string text;
  const std::uint32_t most = machine.state.cards[*interface.card].hardware.ethernet_gbps;
  for (const std::uint32_t gbps : {1U, 10U, 25U, 40U, 50U, 100U, 200U, 400U}) {
    if (gbps > most) break;
    const std::string_view kind = gbps == 1 ? "KX" : gbps == 40 || gbps >= 100 ? "CR4" : "CR";
    text += text.empty() ? "\tSupported link modes:   " : "\t                        ";
    text += fmt::format("{}base{}/Full\n", gbps * 1000, kind);
  }
  return text;
}

int ethtool_settings(Process& process, const Interface& interface) {
  const LinuxHost& machine = process.machine();
  const bool linked = interface.up && has_carrier(process.session.network, machine, interface);
  const std::uint32_t speed = 1000 * interface_gbps(machine, process.session.network, interface);
  process.out(fmt::format(
      "Settings for {}:\n\tSupported ports: [ FIBRE ]\n{}\tSpeed: {}\n\tDuplex: "
      "{}\n\tAuto-negotiation: on\n\tPort: Direct Attach Copper\n\tLink detected: {}\n",
      interface.name,
      supported_modes(machine, interface),
      linked ? fmt::format("{}Mb/s", speed) : "Unknown!",
      linked ? "Full" : "Unknown! (255)",
      linked ? "yes" : "no"));
  return 0;
}

}  // namespace

int ethtool(Process& process) {
  const std::vector<std::string>& words = process.arguments;
  if (words.size() < 2) return process.fail(1, "bad command line argument(s)");
  const bool statistics = words[1] == "-I" || words[1] == "--include-statistics";
  const std::size_t option_at = statistics ? 2 : 1;
  const bool has_option = option_at < words.size() && words[option_at].starts_with('-');
  const std::string option = has_option ? words[option_at] : "";
  const std::size_t name_at = has_option ? option_at + 1 : option_at;
  const std::string name = name_at < words.size() ? words[name_at] : "";
  const Interface* interface = process.machine().find_interface(name);
  if (interface == nullptr) {
    process.err(
        "netlink error: no device matches name (offset 24)\nnetlink error: No such device\n");
    return option == "-i" || option == "-P" ? 71 : 1;
  }
  if (option.empty()) return ethtool_settings(process, *interface);
  if (option == "-m" || option == "--module-info") return ethtool_module(process, *interface);
  if (option == "--show-fec") return ethtool_fec(process, *interface, statistics);
  if (option == "-S") return ethtool_statistics(process, *interface);
  if (option == "-i") return ethtool_driver(process, *interface);
  if (option == "-P") {
    process.out(fmt::format(
        "Permanent address: {}\n",
        interface->permanent_mac.empty() ? "not set" : interface->permanent_mac));
    return 0;
  }
  process.err("netlink error: Operation not supported\n");
  return 1;
}

namespace {

// A card whose own agent is on takes the frames before the host's sees them (E-lldp-firmware).
bool takes_lldp(const LinuxHost& machine, const Interface& interface) {
  const Card& card = machine.state.cards[*interface.card];
  return card.current_of(fmt::format("LLDP_NB_RX_MODE_P{}", interface.port)) != 0;
}

std::string lldp_item(
    const LinuxHost& machine,
    const Interface& interface,
    const LldpSender& far,
    std::size_t number) {
  const std::int64_t days = (machine.now - machine.booted).count() / 86'400'000;
  return fmt::format(
      R"({{"name":"{}","via":"LLDP","rid":"{}","age":"{} days, 00:01:00","chassis":[{{"id":[{{"type":"mac","value":"{}"}}],"name":[{{"value":"{}"}}],"descr":[{{"value":"{}"}}],"capability":[{{"type":"Bridge","enabled":false}},{{"type":"Station","enabled":true}}]}}],"port":[{{"id":[{{"type":"{}","value":"{}"}}],"descr":[{{"value":"{}"}}],"ttl":[{{"value":"120"}}]}}]}})",
      interface.name,
      number,
      days,
      far.chassis_mac,
      far.system_name,
      far.system_description,
      far.port_name.empty() ? "mac" : "ifname",
      far.port_name.empty() ? far.port_mac : far.port_name,
      far.port_description);
}

}  // namespace

int lldpcli(Process& process) {
  const LinuxHost& machine = process.machine();
  std::string format = "plain";
  bool neighbours = false;
  for (std::size_t i = 1; i < process.arguments.size(); ++i) {
    const std::string& word = process.arguments[i];
    if (word == "-f" && i + 1 < process.arguments.size()) format = process.arguments[++i];
    neighbours = neighbours || word.rfind("neighbor", 0) == 0;
  }
  if (!process.root() || !machine.runs_service("lldpd")) {
    process.err("[lldpctl] unable to connect to lldpd\n");
    return 1;
  }
  if (!neighbours) return 0;
  std::vector<std::string> items;
  std::string plain =
      "-------------------------------------------------------------------------------\nLLDP "
      "neighbors:\n-------------------------------------------------------------------------------"
      "\n";
  for (const Interface& interface : machine.state.interfaces) {
    if (!interface.card || !interface.up || interface.infiniband) continue;
    if (takes_lldp(machine, interface)) continue;
    const std::optional<LldpSender> far =
        process.session.network.lldp_neighbour(machine, *interface.card, interface.port);
    if (!far) continue;
    items.push_back(lldp_item(machine, interface, *far, items.size() + 1));
    plain += fmt::format(
        "Interface:    {}, via: LLDP\n  Chassis:\n    SysName:      {}\n  Port:\n    PortID:       "
        "mac {}\n    PortDescr:    {}\n",
        interface.name,
        far->system_name,
        far->port_mac,
        far->port_description);
  }
  process.out(
      format == "json0"
          ? fmt::format(R"({{"lldp":[{{"interface":[{}]}}]}})", join(items, ",")) + "\n"
          : plain);
  return 0;
}

// netplan

int netplan(Process& process) {
  std::vector<std::string> words{process.arguments.begin() + 1, process.arguments.end()};
  std::erase(words, "--debug");
  const std::string verb = words.empty() ? "" : words[0];
  constexpr std::string_view kUsage = "usage: /usr/sbin/netplan  [-h] [--debug]  ...\n";
  if (verb != "generate" && verb != "apply" && verb != "try") {
    process.err(kUsage);
    if (!verb.empty())
      process.err(fmt::format(
          "/usr/sbin/netplan: error: argument : invalid choice: '{}' (choose from 'help', 'apply', "
          "'generate', 'get', 'info', 'ip', 'set', 'rebind', 'status', 'try')\n",
          verb));
    return 2;
  }
  if (words.size() > 1) {
    process.err(fmt::format("{}netplan: error: unrecognized arguments: {}\n", kUsage, words[1]));
    return 2;
  }
  if (verb == "try") {
    process.err("netplan try needs a terminal\n");
    return 1;
  }
  if (!process.root()) {
    process.err("ERROR: cannot create file /run/systemd/network: Permission denied\n");
    return verb == "apply" ? 78 : 1;
  }
  if (verb == "apply") {
    process.session.pass(Duration{500});
    return netplan_apply(process);
  }
  const NetplanGenerated generated = netplan_generate(process.machine());
  process.err(generated.messages);
  return generated.status;
}

}  // namespace fabric::lab::commands
