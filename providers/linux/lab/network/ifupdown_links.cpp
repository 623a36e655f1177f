// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/ifupdown_links.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/network/ifupdown2.hpp"

namespace fabric::lab {
namespace {

// The interface that carries it, and its number; by vlan-raw-device and the name, or by a name with
// a dot: eth0.100, vlan100.
struct VlanOfStanza {
  std::string below;
  std::uint32_t id = 0;
};

std::optional<VlanOfStanza> vlan_of(const IfupdownStanza& stanza) {
  const std::size_t dot = stanza.name.rfind('.');
  const std::string raw = option_of(stanza, "vlan-raw-device");
  std::string digits = option_of(stanza, "vlan-id");
  if (digits.empty() && dot != std::string::npos) digits = stanza.name.substr(dot + 1);
  if (digits.empty() && !raw.empty() && stanza.name.starts_with("vlan"))
    digits = stanza.name.substr(4);
  const std::optional<std::uint64_t> id = parse_unsigned(digits, 10);
  if (!id || *id == 0 || *id > 4094 || (raw.empty() && dot == std::string::npos))
    return std::nullopt;
  return VlanOfStanza{
      raw.empty() ? stanza.name.substr(0, dot) : raw, static_cast<std::uint32_t>(*id)};
}

bool has_hook(Process& process, const char* hook) {
  return is_ifupdown2(process) || process.files().find(hook) != nullptr;
}

struct BondOfStanza {
  std::string name;
  std::vector<std::string> slaves;
  bool is_slave = false;  // the stanza is that of a slave
};

std::optional<BondOfStanza> bond_of(const IfupdownStanza& stanza) {
  BondOfStanza bond;
  bond.name = option_of(stanza, "bond-master");
  if (!bond.name.empty() && bond.name != "none") {
    bond.slaves = {stanza.name};
    bond.is_slave = true;
    return bond;
  }
  std::string slaves = option_of(stanza, "bond-slaves");
  if (slaves.empty()) slaves = option_of(stanza, "slaves");
  if (slaves.empty() && option_of(stanza, "bond-mode").empty()) return std::nullopt;
  bond.name = stanza.name;
  for (const std::string_view slave : split_words(slaves)) {
    if (slave != "none") bond.slaves.emplace_back(slave);
  }
  return bond;
}

void set_options(LinuxHost& machine, const std::string& name, const IfupdownStanza& stanza) {
  for (const std::string_view option : bond_options()) {
    std::string key = "bond-" + std::string{option};
    std::replace(key.begin(), key.end(), '_', '-');
    const std::string value = option_of(stanza, key);
    Interface* bond = machine.find_interface(name);
    if (!value.empty() && bond != nullptr) set_bond_option(machine, *bond, option, value);
  }
}

// The state's interfaces stay as they are, said the hook's author.
void add_slave(Process& process, const std::string& name, const BondOfStanza& bond) {
  LinuxHost& machine = process.machine();
  Interface* slave = machine.find_interface(name);
  Interface* master = machine.find_interface(bond.name);
  if (slave != nullptr && master != nullptr && slave->master == master->index) return;
  const std::vector<std::string> state = read_ifstate(process.files());
  if (!bond.is_slave && std::find(state.begin(), state.end(), name) != state.end() &&
      !is_ifupdown2(process)) {
    process.out(fmt::format("Not enslaving interface {} since it is already configured\n", name));
    return;
  }
  if (slave != nullptr) set_up(machine, *slave, false);
  const bool joined = slave != nullptr && master != nullptr && master->bond &&
                      enslave(machine, process.session.network, *slave, *master).empty();
  if (!joined) {
    process.err(fmt::format(
        "Failed to enslave {0} to {1}. Is {1} ready and a bonding interface ?\n", name, bond.name));
  }
}

const IfupdownStanza* stanza_of(const IfupdownFile& file, const std::string& name) {
  const auto found =
      std::find_if(file.stanzas.begin(), file.stanzas.end(), [&](const IfupdownStanza& stanza) {
        return stanza.name == name && bond_of(stanza) && !bond_of(stanza)->is_slave;
      });
  return found == file.stanzas.end() ? nullptr : &*found;
}

}  // namespace

std::string make_vlan(Process& process, const IfupdownStanza& stanza) {
  const std::optional<VlanOfStanza> vlan = vlan_of(stanza);
  LinuxHost& machine = process.machine();
  if (!vlan || machine.find_interface(stanza.name) != nullptr) return "";
  Interface* below = machine.find_interface(vlan->below);
  if (below == nullptr || below->infiniband) return "";
  set_up(machine, *below, true);
  return add_vlan(machine, process.session.network, below->index, stanza.name, vlan->id);
}

void unmake_vlan(Process& process, const IfupdownStanza& stanza) {
  const Interface* interface = process.machine().find_interface(stanza.name);
  if (interface != nullptr && interface->vlan && vlan_of(stanza))
    delete_link(process.machine(), process.session.network, stanza.name);
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the stanzas, none of which is brought up twice
void make_bridge(Process& process, const IfupdownFile& file, const IfupdownStanza& stanza) {
  const std::string written = option_of(stanza, "bridge-ports");
  if (written.empty() || !is_ifupdown2(process)) return;
  LinuxHost& machine = process.machine();
  std::vector<std::string> ports;
  for (const std::string_view each : split_words(written)) {
    if (each == "none") continue;
    ports.emplace_back(each);
    const bool has_stanza =
        std::any_of(file.stanzas.begin(), file.stanzas.end(), [each](const IfupdownStanza& one) {
          return one.name == each;
        });
    if (machine.find_interface(ports.back()) == nullptr && has_stanza)
      bring_up(process, file, ports.back());
  }
  add_bridge(machine, process.session.network, stanza.name, ports);
}

void unmake_bridge(Process& process, const IfupdownStanza& stanza) {
  const Interface* interface = process.machine().find_interface(stanza.name);
  if (interface != nullptr && interface->bridge)
    delete_link(process.machine(), process.session.network, stanza.name);
}

void make_bond(Process& process, const IfupdownFile& file, const IfupdownStanza& stanza) {
  const std::optional<BondOfStanza> bond = bond_of(stanza);
  if (!bond || !has_hook(process, kIfenslaveUp)) return;
  LinuxHost& machine = process.machine();
  const Network& network = process.session.network;
  if (machine.find_interface(bond->name) == nullptr) add_bond(machine, network, bond->name, {});
  const Interface* made = machine.find_interface(bond->name);
  if (made == nullptr || !made->bond) return;
  // A slave that comes first makes the bond as the bond's own stanza has it.
  const IfupdownStanza* of_bond = bond->is_slave ? stanza_of(file, bond->name) : &stanza;
  if (of_bond != nullptr && made->bond->slaves.empty()) set_options(machine, bond->name, *of_bond);
  for (const std::string& slave : bond->slaves)
    add_slave(process, slave, *bond);
  if (of_bond != nullptr) set_options(machine, bond->name, *of_bond);
  show_interfaces(machine, network);
}

void unmake_bond(Process& process, const IfupdownStanza& stanza) {
  const std::optional<BondOfStanza> bond = bond_of(stanza);
  if (!bond || !has_hook(process, kIfenslaveDown)) return;
  LinuxHost& machine = process.machine();
  const Interface* master = machine.find_interface(bond->name);
  if (master == nullptr || !master->bond) return;
  if (!bond->is_slave) {
    delete_link(machine, process.session.network, bond->name);
    return;
  }
  Interface* slave = machine.find_interface(stanza.name);
  if (slave != nullptr && slave->master == master->index) release(machine, *slave);
  show_interfaces(machine, process.session.network);
}

}  // namespace fabric::lab
