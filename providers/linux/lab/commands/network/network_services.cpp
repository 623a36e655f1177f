// SPDX-License-Identifier: Apache-2.0
// networkctl ifup ifdown ifquery ifreload
#include <algorithm>

#include <fmt/format.h>

#include "providers/linux/lab/commands/network/net_families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/kernel/link_files.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/kernel/ports.hpp"
#include "providers/linux/lab/network/ifupdown.hpp"
#include "providers/linux/lab/network/network_files.hpp"
#include "providers/linux/lab/network/network_scripts.hpp"
#include "providers/linux/lab/network/networkd.hpp"

namespace fabric::lab::commands {
namespace {

void networkctl_status(Process& process, const Interface& interface) {
  const bool linked =
      interface.up && has_carrier(process.session.network, process.machine(), interface);
  const LinkSettings link = link_settings(process.machine(), interface);
  const std::string setup = interface.network_file.empty() ? "unmanaged" : "configured";
  const std::string state = !interface.up                 ? "off"
                            : !linked                     ? "no-carrier"
                            : interface.addresses.empty() ? "degraded"
                                                          : "routable";
  process.out(fmt::format(
      "* {}: {}\n                     Link File: {}\n                  Network File: {}\n          "
      "               State: {} ({})\n"
      "                          Type: {}\n                          Path: {}\n              "
      "Hardware Address: {}\n                           MTU: {} (min: 68, max: {})\n",
      interface.index,
      interface.name,
      link.name.empty() ? "/usr/lib/systemd/network/99-default.link" : "n/a (custom)",
      interface.network_file.empty() ? "n/a" : interface.network_file,
      state,
      setup,
      networkd_type(interface),
      udev_path(process.machine(), interface),
      interface.mac,
      interface.mtu,
      interface.mtu_most));
  for (const IpPrefix& address : interface.addresses)
    process.out(fmt::format("                       Address: {}\n", address.address()));
}

int networkctl_list(Process& process) {
  process.out("IDX LINK            TYPE       OPERATIONAL SETUP     \n");
  for (const Interface& interface : process.machine().state.interfaces) {
    const bool linked =
        interface.up && has_carrier(process.session.network, process.machine(), interface);
    process.out(fmt::format(
        "{:>3} {:<15} {:<10} {:<11} {}\n",
        interface.index,
        interface.name,
        networkd_type(interface),
        interface.loopback ? "carrier"
        : !interface.up    ? "off"
        : interface.master ? "enslaved"
        : linked           ? "routable"
                           : "no-carrier",
        interface.network_file.empty() ? "unmanaged" : "configured"));
  }
  return 0;
}

}  // namespace

int networkctl(Process& process) {
  const std::optional<Options> options = parse_options(
      process,
      {.flags = "als",
       .valued = "n",
       .long_flags = {"no-pager", "no-legend", "all"},
       .long_valued = {"json"}});
  if (!options) return 1;
  LinuxHost& machine = process.machine();
  const std::string verb = options->operands.empty() ? "list" : options->operands[0];
  const bool active = machine.state.services["systemd-networkd"].active;
  const bool changes = verb == "reload" || verb == "reconfigure" || verb == "up" || verb == "down";
  if (!active && changes) {
    process.err("systemd-networkd is not running.\n");
    return 1;
  }
  if (!active)
    process.err("WARNING: systemd-networkd is not running, output will be incomplete.\n\n");
  if (changes && !process.root()) {
    process.err("Failed to " + verb + ": Interactive authentication required.\n");
    return 1;
  }
  if (verb == "list") return networkctl_list(process);
  if (changes) note_network_in_force(machine);
  if (verb == "reload") {
    networkd_reload(machine, process.session.network);
    return 0;
  }
  int status = 0;
  for (std::size_t i = 1; i < options->operands.size(); ++i) {
    Interface* interface = machine.find_interface(options->operands[i]);
    if (interface == nullptr) {
      process.err(fmt::format("Interface \"{}\" not found.\n", options->operands[i]));
      status = 1;
    } else if (verb == "status") {
      networkctl_status(process, *interface);
    } else if (verb == "reconfigure") {
      // Addresses and routes go and come back, whatever the files have.
      machine.note_change();
      networkd_configure(machine, process.session.network, interface->index);
    } else {
      set_up(machine, *interface, verb == "up");
    }
  }
  return status;
}

namespace {

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int up_or_down(Process& process, bool up) {
  const std::optional<Options> options = parse_options(
      process,
      {.flags = "av",
       .valued = "io",
       .long_flags = {"force", "all", "ignore-errors", "verbose"},
       .long_valued = {}});
  if (!options) return 1;
  if (!process.root())
    return process.fail(1, "failed to open lockfile /run/network/.ifstate.lock: Permission denied");
  if (process.machine().profile.backend == "ifcfg") {
    note_network_in_force(process.machine());
    int status = 0;
    for (const std::string& name : options->operands)
      status = std::max(status, up ? script_up(process, name) : script_down(process, name));
    return status;
  }
  const IfupdownFile file = read_interfaces(process.files());
  if (!file.problem.empty()) {
    process.err(
        file.problem + "\n" + process.name() +
        ": couldn't read interfaces file \"/etc/network/interfaces\"\n");
    return 1;
  }
  std::vector<std::string> names = options->operands;
  if (options->has("a") || options->has("all"))
    names = up ? file.automatic : read_ifstate(process.files());
  const std::vector<std::string> state = read_ifstate(process.files());
  note_network_in_force(process.machine());
  int status = 0;
  for (const std::string& name : names) {
    const bool known = std::ranges::find(state, name) != state.end();
    // ifupdown2 also brings up an interface that is up.
    if (options->has("a") && known == up && !(up && is_ifupdown2(process))) continue;
    const bool force = options->has("force");
    status = std::max(
        status, up ? bring_up(process, file, name, force) : bring_down(process, file, name, force));
  }
  return status;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int ifup(Process& process) {
  return up_or_down(process, true);
}
// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int ifdown(Process& process) {
  return up_or_down(process, false);
}

int ifquery(Process& process) {
  const std::optional<Options> options = parse_options(
      process,
      {.flags = "al",
       .valued = "",
       .long_flags = {"list", "state", "all"},
       .long_valued = {"allow"}});
  if (!options) return 1;
  const IfupdownFile file = read_interfaces(process.files());
  if (options->has("state")) {
    const std::vector<std::string> state = read_ifstate(process.files());
    int status = 0;
    for (const std::string& name : options->operands.empty() ? state : options->operands) {
      const bool up = std::ranges::find(state, name) != state.end();
      if (up) process.out(fmt::format("{0}={0}\n", name));
      if (!up) status = 1;
    }
    return status;
  }
  if (options->has("list") || options->has("l")) {
    for (const std::string& name : file.automatic)
      process.out(name + "\n");
    return 0;
  }
  int status = 0;
  for (const std::string& name : options->operands) {
    const auto stanza = std::ranges::find_if(
        file.stanzas, [&](const IfupdownStanza& one) { return one.name == name; });
    if (stanza == file.stanzas.end() && is_ifupdown2(process))
      return cannot_find(process, name, true);
    if (stanza == file.stanzas.end()) {
      process.err(fmt::format("ifquery: unknown interface {}\n", name));
      status = 1;
      continue;
    }
    for (const auto& [key, value] : stanza->options)
      process.out(fmt::format("{}: {}\n", key, value));
  }
  return status;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int ifreload(Process& process) {
  if (!process.root()) return process.fail(1, "must be root to run this command");
  note_network_in_force(process.machine());
  const IfupdownFile file = read_interfaces(process.files());
  for (const std::string& name : read_ifstate(process.files())) {
    const bool wanted = std::ranges::find(file.automatic, name) != file.automatic.end();
    if (!wanted) bring_down(process, file, name);
  }
  int status = 0;
  for (const std::string& name : file.automatic) {
    if (name == "lo") continue;
    status = std::max(status, bring_up(process, file, name));
  }
  return status;
}

}  // namespace fabric::lab::commands
