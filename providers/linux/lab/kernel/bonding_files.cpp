// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/kernel_files.hpp"
#include "providers/linux/lab/kernel/lacp.hpp"

namespace fabric::lab {
namespace {

using Text = std::optional<std::string>;

FileError change_slaves(
    LinuxHost& machine, const Network& network, const std::string& bond, std::string_view value) {
  Interface* master = machine.find_interface(bond);
  const std::string name{trim(value.substr(value.empty() ? 0 : 1))};
  Interface* slave = machine.find_interface(name);
  if (master == nullptr || slave == nullptr || value.empty()) return FileError::invalid;
  if (value.front() == '+') {
    if (slave->master != 0) return FileError::busy;
    if (!enslave(machine, network, *slave, *master).empty()) return FileError::not_permitted;
  } else if (value.front() == '-' && slave->master == master->index) {
    release(machine, *slave);
  } else {
    return FileError::invalid;
  }
  show_interfaces(machine, network);
  return FileError::none;
}

FileError write_option(
    LinuxHost& machine,
    const Network& network,
    const std::string& bond,
    const std::string& option,
    std::string_view value) {
  Interface* interface = machine.find_interface(bond);
  if (interface == nullptr) return FileError::invalid;
  const std::string problem = set_bond_option(machine, *interface, option, trim(value));
  settle_bonds(machine, network);
  if (problem.empty()) return FileError::none;
  if (problem.ends_with("busy")) return FileError::busy;
  return problem.ends_with("empty") ? FileError::not_empty : FileError::invalid;
}

FileError change_masters(LinuxHost& machine, const Network& network, std::string_view value) {
  if (value.size() < 2) return FileError::invalid;
  const std::string name{trim(value.substr(1))};
  if (value.front() == '+')
    return add_bond(machine, network, name, {}).empty() ? FileError::none : FileError::exists;
  if (value.front() != '-') return FileError::invalid;
  const Interface* bond = machine.find_interface(name);
  if (bond == nullptr || !bond->bond) return FileError::not_found;
  delete_link(machine, network, name);
  return FileError::none;
}

std::string masters(const LinuxHost& machine) {
  std::vector<std::string> names;
  for (const Interface& interface : machine.state.interfaces) {
    if (interface.bond) names.push_back(interface.name);
  }
  return join(names, " ") + "\n";
}

std::string slave_names(const LinuxHost& machine, const Interface& bond) {
  std::vector<std::string> names;
  for (const BondSlave& slave : bond.bond->slaves) {
    if (const Interface* interface = machine.interface_of_index(slave.index))
      names.push_back(interface->name);
  }
  return join(names, " ");
}

// A field that only mode 802.3ad fills; empty in the others.
std::string aggregator_field(
    const Network& network,
    const LinuxHost& machine,
    const Interface& bond,
    std::string_view field) {
  if (bond.bond->mode != BondMode::lacp) return "";
  const LacpView view = lacp_view(network, machine, bond);
  if (!view.first) return "";
  const LacpPort& first = view.ports[*view.first];
  if (field == "ad_aggregator") return std::to_string(view.aggregator);
  if (field == "ad_num_ports") return std::to_string(view.member_ports);
  if (field == "ad_actor_key") return std::to_string(first.key);
  if (field == "ad_partner_key") return std::to_string(first.partner ? first.partner->key : 1);
  return first.partner ? first.partner->system : "00:00:00:00:00:00";
}

std::string vlan_config(const LinuxHost& machine) {
  std::string text = "VLAN Dev name\t | VLAN ID\nName-Type: VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD\n";
  for (const Interface& interface : machine.state.interfaces) {
    const Interface* below =
        interface.vlan ? machine.interface_of_index(interface.vlan->below) : nullptr;
    if (below != nullptr)
      text += fmt::format("{:<15}| {:<4} | {}\n", interface.name, interface.vlan->id, below->name);
  }
  return text;
}

}  // namespace

void install_proc_of_links(LinuxHost& machine, const Network& network) {
  FileTree& files = machine.state.files;
  LinuxHost* owner = &machine;
  const Network* world = &network;
  if (machine.state.modules.contains("8021q"))
    files.install_generated("/proc/net/vlan/config", [owner] { return vlan_config(*owner); });
  if (!machine.state.modules.contains("bonding")) return;
  files.install_directory("/proc/net/bonding");
  for (const Interface& interface : machine.state.interfaces) {
    if (!interface.bond) continue;
    files.install_generated(
        "/proc/net/bonding/" + interface.name, [owner, world, name = interface.name]() -> Text {
          const Interface* bond = owner->find_interface(name);
          if (bond == nullptr || !bond->bond) return std::nullopt;
          return proc_bonding_text(*world, *owner, *bond);
        });
  }
}

void install_bonding_masters(LinuxHost& machine, const Network& network) {
  if (!machine.state.modules.contains("bonding")) return;
  machine.state.files.install_generated(
      "/sys/class/net/bonding_masters",
      [owner = &machine] { return masters(*owner); },
      [owner = &machine, world = &network](std::string_view value) {
        // The file that is being written is removed with the tree: its captures are not used after.
        return change_masters(*owner, *world, value);
      });
}

void install_bond_files(
    LinuxHost& machine, const Network& network, const Interface& bond, const std::string& folder) {
  FileTree& files = machine.state.files;
  LinuxHost* owner = &machine;
  const Network* world = &network;
  const std::string name = bond.name;
  const auto field = [&](const std::string& file, auto read, auto write) {
    files.install_generated(
        folder + "/bonding/" + file,
        [owner, name, read]() -> Text {
          const Interface* interface = owner->find_interface(name);
          if (interface == nullptr || !interface->bond) return std::nullopt;
          return read(*interface) + "\n";
        },
        write);
  };
  for (const std::string_view each : bond_options()) {
    const std::string option{each};
    field(
        option,
        [owner, option](const Interface& interface) {
          return bond_option(*owner, interface, option);
        },
        [owner, world, name, option](std::string_view value) {
          return write_option(*owner, *world, name, option, value);
        });
  }
  field(
      "slaves",
      [owner](const Interface& interface) { return slave_names(*owner, interface); },
      [owner, world, name](std::string_view value) {
        // The last statement: it makes the tree anew, so nothing here may be used after it.
        return change_slaves(*owner, *world, name, value);
      });
  const std::function<FileError(std::string_view)> read_only;
  field(
      "mii_status",
      [owner, world](const Interface& interface) {
        return std::string{bond_carrier(*world, *owner, interface) ? "up" : "down"};
      },
      read_only);
  for (const char* each :
       {"ad_aggregator", "ad_num_ports", "ad_actor_key", "ad_partner_key", "ad_partner_mac"}) {
    field(
        each,
        [owner, world, each](const Interface& interface) {
          return aggregator_field(*world, *owner, interface, each);
        },
        read_only);
  }
}

void install_slave_files(
    LinuxHost& machine, const Network& network, const Interface& slave, const std::string& folder) {
  const Interface* bond = machine.interface_of_index(slave.master);
  if (bond == nullptr) return;
  FileTree& files = machine.state.files;
  LinuxHost* owner = &machine;
  const Network* world = &network;
  // From the folder of a card's port up to /sys/devices.
  const std::string target =
      (slave.is_virtual() ? "../" : "../../../../../virtual/net/") + bond->name;
  files.install_symlink(folder + "/master", target);
  files.install_symlink(folder + "/upper_" + bond->name, target);
  if (!bond->bond) return;
  const auto field = [&](const std::string& file, auto read) {
    files.install_generated(
        folder + "/bonding_slave/" + file, [owner, index = slave.index, read]() -> Text {
          const Interface* interface = owner->interface_of_index(index);
          const Interface* master =
              interface == nullptr ? nullptr : owner->interface_of_index(interface->master);
          if (master == nullptr || !master->bond) return std::nullopt;
          const BondSlave* entry = find_slave(*master, index);
          if (entry == nullptr) return std::nullopt;
          return read(*interface, *master, *entry) + "\n";
        });
  };
  field("mii_status", [](const Interface&, const Interface&, const BondSlave& entry) {
    return std::string{entry.link ? "up" : "down"};
  });
  field("link_failure_count", [](const Interface&, const Interface&, const BondSlave& entry) {
    return std::to_string(entry.failures);
  });
  field("perm_hwaddr", [](const Interface& interface, const Interface&, const BondSlave&) {
    return interface.permanent_mac;
  });
  field("queue_id", [](const Interface&, const Interface&, const BondSlave&) {
    return std::string{"0"};
  });
  field("state", [owner, world](const Interface&, const Interface& master, const BondSlave& entry) {
    return std::string{receives(*world, *owner, master, entry.index) ? "active" : "backup"};
  });
}

}  // namespace fabric::lab
