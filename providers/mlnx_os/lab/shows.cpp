// SPDX-License-Identifier: Apache-2.0
// The `show` commands of a switch with Onyx or MLNX-OS.
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/mlnx_os/lab/prompt.hpp"

namespace fabric::lab::mlnxos {

namespace {

// "7CFE90A1B2C3"
std::string host_id(const MlnxosMachine& machine) {
  std::string id;
  for (const char c : machine.mac_of("")) {
    if (c != ':') id += c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return id;
}

// E-onyx-interfaces
std::string ports_text(const MlnxosMachine& machine, const Network& network) {
  std::string text;
  for (const std::string& port : machine.front_ports()) {
    const bool enabled = !machine.running.contains("interface ethernet " + port + " shutdown");
    const bool up = enabled && network.has_link({machine.name(), "", port});
    const std::uint32_t mtu = machine.mtu_of(port);
    const std::string fec = network.fec_at({machine.name(), "", port});
    text += fmt::format(
        "Eth{}:\n"
        "  Admin state                      : {}\n"
        "  Operational state                : {}\n"
        "  Last change in operational status: Never\n"
        "  Boot delay time                  : 0 sec\n"
        "  Description                      : N/A\n"
        "  Mac address                      : {}\n"
        "  MTU                              : {} bytes (Maximum packet size {} bytes)\n"
        "  Fec                              : auto\n"
        "  Operational Fec                  : {}\n"
        "  Flow-control                     : receive off send off\n"
        "  Supported speeds                 : 1G 10G 25G 40G 50G 56G 100G\n"
        "  Advertised speeds                : 100G\n"
        "  Actual speed                     : {}\n"
        "  Switchport mode                  : access\n"
        "\n"
        "  Rx:\n"
        "    0                     packets\n"
        "    0                     error packets\n"
        "\n"
        "  Tx:\n"
        "    0                     packets\n"
        "    0                     discard packets\n"
        "\n",
        port,
        enabled ? "Enabled" : "Disabled",
        up ? "Up" : "Down",
        machine.mac_of(port),
        mtu,
        mtu + 22,
        !up              ? "N/A"
        : fec == "BaseR" ? "fc-fec"
        : fec == "Off"   ? "no-fec"
                         : "rs-fec",
        up ? "100G" : "Unknown");
  }
  return text;
}

// E-onyx-configuration
std::string configuration_text(
    const MlnxosMachine& machine,
    const MlnxosMachine::Configuration& lines,
    std::string_view database) {
  std::string text = fmt::format(
      "##\n## {} database \"initial\"\n## Generated at 2026/11/25 12:00:00 +0000\n"
      "## Hostname: {}\n##\n\n##\n## Running-config temporary prefix mode setting\n##\n"
      "no cli default prefix-modes enable\n\n##\n## Interface Ethernet configuration\n##\n",
      database,
      machine.name().str());
  for (const std::string& line : lines)
    text += "   " + line + "\n";
  return text + "\n##\n## Persistent prefix mode setting\n##\ncli default prefix-modes enable\n";
}

// The words of the table without rows: E-onyx-lldp. Nothing reads its columns.
std::string neighbours_text(const MlnxosMachine& machine, const Network& network) {
  std::string rows;
  for (const std::string& port : machine.front_ports()) {
    const auto far = network.lldp_at({machine.name(), "", port});
    if (!far) continue;
    rows += fmt::format(
        "{:<20} {:<20} {:<20} {}\n",
        "Eth" + port,
        far->chassis_mac,
        far->port_name.empty() ? far->port_mac : far->port_name,
        far->system_name.empty() ? "Not Advertised" : far->system_name);
  }
  if (rows.empty()) return "\nNo lldp remote information.\n\n";
  const std::string rule(78, '-');
  return rule + "\nLocal Interface      Device ID            Port ID              System Name\n" +
         rule + "\n" + rows;
}

std::string pair_text(const MlnxosMachine& machine) {
  const bool on = machine.running.contains("no mlag shutdown");
  return fmt::format(
      "Admin status: {}\nOperational status: {}\nReload-delay: 30 sec\nKeepalive-interval: 1 sec\n"
      "Upgrade-timeout: 60 min\nSystem-mac: {}\n",
      on ? "Enabled" : "Disabled",
      on ? "Up" : "Down",
      machine.after("mlag system-mac").value_or("00:00:00:00:00:00"));
}

// E-qos-switch
std::string roce_text(const MlnxosMachine& machine) {
  const std::string mode = machine.after("roce").value_or("N/A");
  if (mode == "N/A") return "RoCE mode : N/A\n";
  const char* flow = mode == "lossy" ? "disabled" : "enabled";
  return fmt::format(
      "RoCE mode : {}\nLLDP : disabled\nPort trust mode: L3\n\nApplication TLV:\n"
      "Selector: udp\nProtocol: 4791\nPriority: 3\n\nPort congestion-control:\n"
      "Mode: ecn, absolute\nMin : 150\nMax : 1500\n\nPFC : {}\nswitch-priority 3: {}\n\n"
      "RoCE used TCs:\n----------------------------------------------\n"
      "Switch-Priority TC Application ETS\n----------------------------------------------\n"
      "3               3  RoCE        WRR 50%\n6               6  CNP         Strict\n",
      mode,
      flow,
      flow);
}

// E-onyx-lldp
std::string neighbours_json(const MlnxosMachine& machine, const Network& network) {
  std::string text;
  for (const std::string& port : machine.front_ports()) {
    const auto far = network.lldp_at({machine.name(), "", port});
    if (!far) continue;
    text += fmt::format(
        "{}    \"Eth{}\": [\n        {{\n            \"Device ID\": \"{}\",\n"
        "            \"Port ID\": \"{}\",\n            \"System Name\": \"{}\"\n        "
        "}}\n    ]",
        text.empty() ? "" : ",\n",
        port,
        far->chassis_mac,
        far->port_name.empty() ? far->port_mac : far->port_name,
        far->system_name.empty() ? "Not Advertised" : far->system_name);
  }
  return text.empty() ? "{\n    \"Lines\": [\"\", \"No lldp remote information.\", \"\"]\n}\n"
                      : "{\n" + text + "\n}\n";
}

// E-onyx-version
std::string version_text(const MlnxosMachine& machine) {
  const char* product = machine.infiniband ? "MLNX-OS" : "Onyx";
  const char* release = machine.infiniband ? "3.10.4206" : "3.9.1014";
  return fmt::format(
      "Product name:      {}\nProduct release:   {}\nBuild ID:          #1-dev\n"
      "Build date:        2020-01-01 01:00:00\nTarget arch:       x86_64\n"
      "Target hw:         x86_64\nVersion summary:   X86_64 {} 2020-01-01 01:00:00 x86_64\n"
      "\nProduct model:     x86onie\nHost ID:           {}\n\n"
      "Uptime:            {}s\n",
      product,
      release,
      release,
      host_id(machine),
      machine.uptime().count() / 1000);
}

// Nullopt: an Ethernet switch knows no such line.
std::optional<std::string> show_ethernet(
    const MlnxosMachine& machine, const Network& network, const std::string& line) {
  const bool is_pair = machine.running.contains("protocol mlag");
  if (line == "show interfaces ethernet") return ports_text(machine, network);
  if (line == "show mlag" && is_pair) return pair_text(machine);
  if (line == "show interfaces port-channel summary") return show_channels(machine, network, false);
  if (line == "show interfaces mlag-port-channel summary" && is_pair)
    return show_channels(machine, network, true);
  if (line == "show roce") return roce_text(machine);
  if (line == "show lldp remote") return neighbours_text(machine, network);
  if (line == "show lldp remote | json-print") return neighbours_json(machine, network);
  return std::nullopt;
}

}  // namespace

std::string show(
    const MlnxosMachine& machine,
    const Network& network,
    const Words& words,
    bool enabled,
    bool& known) {
  const std::string line = join(words, " ");
  known = true;
  if (line == "show version") return version_text(machine);
  if (enabled && machine.infiniband) {
    if (auto text = show_infiniband(machine, network, line)) return *std::move(text);
  }
  if (!machine.infiniband) {
    if (auto text = show_ethernet(machine, network, line)) return *std::move(text);
  }
  // These lines need enable mode (E-onyx-exec).
  if (enabled && line == "show running-config")
    return configuration_text(machine, machine.running, "Running");
  if (enabled && line == "show configuration")
    return configuration_text(machine, machine.saved, "Active saved");
  known = false;
  return "";
}

}  // namespace fabric::lab::mlnxos
