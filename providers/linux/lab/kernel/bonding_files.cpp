// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/kernel_files.hpp"
#include "providers/linux/lab/kernel/lacp.hpp"
#include "providers/linux/lab/kernel/modules.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

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

// /proc/net/bonding/NAME as bond_procfs.c of Linux 6.1 prints it for root.

namespace {

constexpr std::string_view kNobody = "00:00:00:00:00:00";

std::string_view mode_text(BondMode mode) {
  switch (mode) {
    case BondMode::balance_rr:
      return "load balancing (round-robin)";
    case BondMode::active_backup:
      return "fault-tolerance (active-backup)";
    case BondMode::balance_xor:
      return "load balancing (xor)";
    case BondMode::broadcast:
      return "fault-tolerance (broadcast)";
    case BondMode::lacp:
      return "IEEE 802.3ad Dynamic link aggregation";
    case BondMode::balance_tlb:
      return "transmit load balancing";
    case BondMode::balance_alb:
      break;
  }
  return "adaptive load balancing";
}

bool hashes(BondMode mode) {
  return mode == BondMode::lacp || mode == BondMode::balance_xor || mode == BondMode::balance_tlb ||
         mode == BondMode::balance_alb;
}

std::string or_none(const std::string& name) {
  return name.empty() ? "None" : name;
}

std::string aggregator_text(const LacpView& view, const Interface& bond) {
  if (!view.first) return fmt::format("bond {} has no active aggregator\n", bond.name);
  const LacpPort& first = view.ports[*view.first];
  return fmt::format(
      "Active Aggregator Info:\n\tAggregator ID: {}\n\tNumber of ports: {}\n\tActor Key: {}\n"
      "\tPartner Key: {}\n\tPartner Mac Address: {}\n",
      view.aggregator,
      view.member_ports,
      first.key,
      first.partner ? first.partner->key : 1,
      first.partner ? std::string_view{first.partner->system} : kNobody);
}

std::string head(
    const LinuxHost& machine, const Interface& bond, bool carrier, const LacpView* lacp) {
  const Bond& state = *bond.bond;
  std::string text = fmt::format(
      "Ethernet Channel Bonding Driver: v{}\n\nBonding Mode: {}",
      kKernelRelease,
      mode_text(state.mode));
  if (state.mode == BondMode::active_backup && state.fail_over_mac != 0)
    text += fmt::format(" (fail_over_mac {})", bond_option_name(bond, "fail_over_mac"));
  text += "\n";
  if (hashes(state.mode)) {
    text += fmt::format(
        "Transmit Hash Policy: {} ({})\n",
        bond_option_name(bond, "xmit_hash_policy"),
        state.hash_policy);
  }
  if (has_active_slave(state.mode)) {
    const std::string primary = bond_option(machine, bond, "primary");
    text += fmt::format(
        "Primary Slave: {}{}\nCurrently Active Slave: {}\n",
        or_none(primary),
        primary.empty() ? "" : " (primary_reselect always)",
        or_none(bond_option(machine, bond, "active_slave")));
  }
  text += fmt::format(
      "MII Status: {}\nMII Polling Interval (ms): {}\nUp Delay (ms): {}\nDown Delay (ms): {}\n"
      "Peer Notification Delay (ms): 0\n",
      carrier ? "up" : "down",
      state.miimon,
      state.updelay * state.miimon,
      state.downdelay * state.miimon);
  if (lacp == nullptr) return text;
  text += fmt::format(
      "\n802.3ad info\nLACP active: on\nLACP rate: {}\nMin links: {}\nAggregator selection policy "
      "(ad_select): {}\nSystem priority: 65535\nSystem MAC address: {}\n",
      bond_option_name(bond, "lacp_rate"),
      state.min_links,
      bond_option_name(bond, "ad_select"),
      bond.mac);
  return text + aggregator_text(*lacp, bond);
}

std::string lacp_text(const LacpPort& port, const Interface& bond) {
  const bool lonely = !port.partner;
  const LacpPartner partner =
      port.partner.value_or(LacpPartner{std::string{kNobody}, 1, 1, 65535, 255, false});
  const std::uint32_t heard = kLacpActivity | kLacpAggregation | kLacpInSync | kLacpCarriesTraffic |
                              (partner.fast ? kLacpTimeout : 0U);
  // No partner is heard to be in sync.
  std::string text = fmt::format(
      "Aggregator ID: {}\nActor Churn State: {}\nPartner Churn State: {}\nActor Churned Count: {}\n"
      "Partner Churned Count: {}\n",
      port.aggregator,
      (port.state & kLacpInSync) != 0 ? "none" : "churned",
      lonely ? "churned" : "none",
      (port.state & kLacpInSync) != 0 ? 0 : 1,
      lonely ? 1 : 0);
  text += fmt::format(
      "details actor lacp pdu:\n    system priority: 65535\n    system mac address: {}\n    port "
      "key: {}\n    port priority: 255\n    port number: {}\n    port state: {}\n",
      bond.mac,
      port.key,
      port.number,
      port.state);
  return text + fmt::format(
                    "details partner lacp pdu:\n    system priority: {}\n    system mac address: "
                    "{}\n    oper key: {}\n    port priority: {}\n    port number: {}\n    port "
                    "state: {}\n",
                    partner.system_priority,
                    partner.system,
                    partner.key,
                    partner.port_priority,
                    partner.port,
                    lonely ? 1 : heard);
}

std::string slave_text(
    const LinuxHost& machine, const BondSlave& slave, const Interface& interface) {
  const bool knows_speed = slave.link && interface.up;
  const std::uint32_t gbps =
      interface.card ? port_gbps(machine, *interface.card, interface.port) : 1;
  return fmt::format(
      "\nSlave Interface: {}\nMII Status: {}\nSpeed: {}\nDuplex: {}\nLink Failure Count: {}\n"
      "Permanent HW addr: {}\nSlave queue ID: 0\n",
      interface.name,
      slave.link ? "up" : "down",
      knows_speed ? fmt::format("{} Mbps", gbps * 1000) : "Unknown",
      knows_speed ? "full" : "Unknown",
      slave.failures,
      interface.permanent_mac);
}

}  // namespace

std::string proc_bonding_text(
    const Network& network, const LinuxHost& machine, const Interface& bond) {
  const bool speaks_lacp = bond.bond->mode == BondMode::lacp;
  const LacpView lacp = speaks_lacp ? lacp_view(network, machine, bond) : LacpView{};
  std::string text =
      head(machine, bond, bond_carrier(network, machine, bond), speaks_lacp ? &lacp : nullptr);
  for (const BondSlave& slave : bond.bond->slaves) {
    const Interface* interface = machine.interface_of_index(slave.index);
    if (interface == nullptr) continue;
    text += slave_text(machine, slave, *interface);
    for (const LacpPort& port : lacp.ports) {
      if (port.index == slave.index) text += lacp_text(port, bond);
    }
  }
  return text;
}

}  // namespace fabric::lab
