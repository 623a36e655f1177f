// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/netplan.hpp"

#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/link_files.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/network/network_files.hpp"
#include "providers/linux/lab/network/networkd.hpp"

namespace fabric::lab {

namespace {

constexpr int kConfigurationError = 78;  // EX_CONFIG
constexpr std::string_view kFolder = "/run/systemd/network";
constexpr std::string_view kStart = "10-netplan-";

std::vector<std::string> generated_files(const FileTree& files) {
  std::vector<std::string> paths;
  for (const std::string& name : files.list(kFolder)) {
    if (name.starts_with(kStart)) paths.push_back(std::string{kFolder} + "/" + name);
  }
  return paths;
}

// `udevadm test-builtin net_setup_link` of every device, up or not. A name stays as it is.
void apply_link_files(LinuxHost& machine) {
  for (Interface& interface : machine.state.interfaces) {
    if (interface.loopback || interface.is_virtual()) continue;
    const LinkSettings settings = link_settings(machine, interface);
    if (settings.mtu && *settings.mtu != interface.mtu) set_mtu(machine, interface, *settings.mtu);
  }
}

}  // namespace

NetplanGenerated netplan_generate(LinuxHost& machine) {
  const NetplanState state = read_netplan(machine.state.files);
  if (!state.problem.empty()) return {1, state.warnings + state.problem};
  for (const std::string& path : generated_files(machine.state.files))
    machine.state.files.remove(path, "root");
  for (const NetplanFile& file : netplan_networkd_files(state))
    machine.state.files.install(file.path, file.content);
  return {0, state.warnings};
}

int netplan_apply(Process& process) {
  LinuxHost& machine = process.machine();
  const bool before = !generated_files(process.files()).empty();
  const NetplanGenerated generated = netplan_generate(machine);
  process.err(generated.messages);
  if (generated.status != 0) return kConfigurationError;
  machine.note_change();
  note_network_in_force(machine);
  apply_link_files(machine);
  if (!before && generated_files(process.files()).empty()) return 0;
  const Network& network = process.session.network;
  Service& service = machine.state.services["systemd-networkd"];
  if (!service.active) {
    process.err("WARNING:root:Falling back to a hard restart of systemd-networkd.service\n");
    networkd_start(machine, network);
    service.active = true;
    return 0;
  }
  networkd_reload(machine, network);
  // `networkctl reconfigure` of all that it configures now.
  std::vector<std::uint32_t> configured;
  for (const Interface& interface : machine.state.interfaces) {
    if (network_file_for(machine, interface) != nullptr) configured.push_back(interface.index);
  }
  for (const std::uint32_t index : configured)
    networkd_configure(machine, network, index);
  return 0;
}

// The files that netplan's generator writes for systemd-networkd: for each definition a .network
// file, for virtual ones a .netdev file, and for ports a .link file, which udev reads.

namespace {

constexpr std::string_view kNetworkd = "/run/systemd/network/10-netplan-";

// netplan's parameter to networkd's key, in the order in which they are written.
constexpr std::array<std::array<std::string_view, 2>, 9> kBondKeys{{
    {"mode", "Mode"},
    {"lacp-rate", "LACPTransmitRate"},
    {"mii-monitor-interval", "MIIMonitorSec"},
    {"min-links", "MinLinks"},
    {"transmit-hash-policy", "TransmitHashPolicy"},
    {"ad-select", "AdSelect"},
    {"up-delay", "UpDelaySec"},
    {"down-delay", "DownDelaySec"},
    {"fail-over-mac-policy", "FailOverMACPolicy"},
}};

void line(std::string& text, std::string_view key, const std::string& value) {
  if (!value.empty()) text += fmt::format("{}={}\n", key, value);
}

// The lines that match a port, for udev by its original name.
std::string match_of(const NetplanDefinition& definition, bool original) {
  std::string text = "[Match]\n";
  const std::string_view name = original ? "OriginalName" : "Name";
  if (!definition.has_match) {
    line(text, name, definition.id);
    return text;
  }
  line(text, "Driver", join(definition.match_drivers, " "));
  line(text, "PermanentMACAddress", definition.match_mac);
  if (!original && !definition.set_name.empty()) {
    line(text, name, definition.set_name);
  } else {
    line(text, name, join(definition.match_names, " "));
  }
  return text;
}

std::string link_file(const NetplanDefinition& definition) {
  std::string text = match_of(definition, true) + "\n[Link]\n";
  line(text, "Name", definition.set_name);
  text += "WakeOnLan=off\n";
  line(text, "MTUBytes", definition.mtu);
  return text;
}

// A number alone is of milliseconds.
std::string with_unit(std::string_view key, const std::string& value) {
  return key.ends_with("Sec") && parse_unsigned(value, 10) ? value + "ms" : value;
}

std::string netdev_file(const NetplanDefinition& definition) {
  std::string text = "[NetDev]\n";
  line(text, "Name", definition.id);
  line(text, "MTUBytes", definition.mtu);
  if (definition.section == "vlans")
    return text + "Kind=vlan\n\n[VLAN]\nId=" + definition.vlan_id + "\n";
  if (definition.section == "bridges") return text + "Kind=bridge\n";
  text += "Kind=bond\n";
  std::string options;
  for (const auto& [key, word] : kBondKeys) {
    for (const auto& [parameter, value] : definition.parameters) {
      if (parameter == key) line(options, word, with_unit(word, value));
    }
  }
  return options.empty() ? text : text + "\n[Bond]\n" + options;
}

std::string routes_of(const NetplanDefinition& definition) {
  std::string text;
  for (const NetplanRoute& route : definition.routes) {
    text += "\n[Route]\n";
    line(text, "Destination", route.to);
    line(text, "Gateway", route.via);
    line(text, "PreferredSource", route.from);
    line(text, "Scope", route.scope == "global" ? "" : route.scope);
    line(text, "GatewayOnLink", route.on_link ? "true" : "");
    line(text, "Metric", route.metric);
    line(text, "Table", route.table);
    line(text, "MTUBytes", route.mtu);
  }
  for (const NetplanRule& rule : definition.rules) {
    text += "\n[RoutingPolicyRule]\n";
    line(text, "From", rule.from);
    line(text, "To", rule.to);
    line(text, "Table", rule.table);
    line(text, "Priority", rule.priority);
    line(text, "FirewallMark", rule.mark);
  }
  return text;
}

std::string link_local(const NetplanDefinition& definition) {
  if (!definition.bond.empty() || !definition.bridge.empty()) return "no";
  const bool ipv4 = definition.link_local_ipv4.value_or(false);
  const bool ipv6 = definition.link_local_ipv6.value_or(true);
  if (ipv4) return ipv6 ? "yes" : "ipv4";
  return ipv6 ? "ipv6" : "no";
}

std::string link_section(const NetplanDefinition& definition) {
  std::string text;
  line(
      text,
      "ActivationPolicy",
      definition.activation_mode == "manual" ? "manual"
      : definition.activation_mode == "off"  ? "always-down"
                                             : "");
  const bool waits = !definition.optional.value_or(false) && definition.activation_mode.empty();
  line(text, "RequiredForOnline", waits ? "" : "no");
  line(text, "MTUBytes", definition.mtu);
  return text.empty() ? text : "\n[Link]\n" + text;
}

std::string network_file(const NetplanState& state, const NetplanDefinition& definition) {
  const bool made = definition.section != "ethernets";
  std::string text =
      (made ? fmt::format("[Match]\nName={}\n", definition.id) : match_of(definition, false)) +
      link_section(definition) + "\n[Network]\n";
  const bool dhcp4 = definition.dhcp4.value_or(false);
  const bool dhcp6 = definition.dhcp6.value_or(false);
  line(text, "DHCP", dhcp4 ? (dhcp6 ? "yes" : "ipv4") : dhcp6 ? "ipv6" : "");
  line(text, "LinkLocalAddressing", link_local(definition));
  for (const std::string& address : definition.addresses)
    line(text, "Address", address);
  if (definition.accept_ra) line(text, "IPv6AcceptRA", *definition.accept_ra ? "yes" : "no");
  line(text, "Gateway", definition.gateway4);
  line(text, "Gateway", definition.gateway6);
  if (made || definition.ignore_carrier.value_or(false))
    line(text, "ConfigureWithoutCarrier", "yes");
  for (const NetplanDefinition& other : state.definitions) {
    if (other.section == "vlans" && other.link == definition.id) line(text, "VLAN", other.id);
  }
  line(text, "Bond", definition.bond);
  if (definition.is_primary) line(text, "PrimarySlave", "true");
  line(text, "Bridge", definition.bridge);
  text += routes_of(definition);
  if (!definition.infiniband_mode.empty())
    text += "\n[IPoIB]\nMode=" + definition.infiniband_mode + "\n";
  return text;
}

}  // namespace

std::vector<NetplanFile> netplan_networkd_files(const NetplanState& state) {
  std::vector<NetplanFile> files;
  for (const NetplanDefinition& each : state.definitions) {
    const auto put = [&](std::string_view suffix, std::string text) {
      files.push_back({fmt::format("{}{}{}", kNetworkd, each.id, suffix), std::move(text)});
    };
    const bool made = each.section != "ethernets";
    if (!made && (!each.mtu.empty() || !each.set_name.empty())) put(".link", link_file(each));
    const std::string& renderer = each.renderer.empty() ? state.renderer : each.renderer;
    if (renderer != "networkd") continue;
    if (made) put(".netdev", netdev_file(each));
    put(".network", network_file(state, each));
  }
  return files;
}

}  // namespace fabric::lab
