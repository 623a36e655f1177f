// SPDX-License-Identifier: Apache-2.0
// /sys as Linux shows it (E-linux-sysfs): class/net, class/infiniband and bus/pci/devices, all of
// them symlinks into /sys/devices.
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/bonding_files.hpp"
#include "providers/linux/lab/kernel/counters.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/kernel/kernel_files.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/kernel/modules.hpp"
#include "providers/linux/lab/kernel/ports.hpp"
#include "providers/linux/lab/kernel/qos_files.hpp"
#include "providers/linux/lab/kernel/roce_gids.hpp"

namespace fabric::lab {
namespace {

constexpr std::string_view kBridge = "/sys/devices/pci0000:00/0000:00:01.0";

constexpr std::size_t kShownKeys = 8;  // the first of a table of 128

std::string device_folder(const std::string& function) {
  return fmt::format("{}/{}", kBridge, function);
}

class Sysfs {
 public:
  Sysfs(LinuxHost& machine, const Network& network)
      : machine_{machine}, network_{network}, files_{machine.state.files} {}

  void install() {
    files_.erase_all_below("/sys");
    for (const std::string_view folder :
         {"/sys/class/net", "/sys/class/infiniband", "/sys/bus/pci/devices"}) {
      files_.install_directory(folder);
    }
    for (std::size_t card = 0; card < machine_.state.cards.size(); ++card)
      functions(card);
    management_devices();
    for (const Interface& interface : machine_.state.interfaces)
      net(interface);
    install_bonding_masters(machine_, network_);
    install_rdma_cm_files(machine_);
  }

 private:
  void text(const std::string& path, const std::string& content) {
    files_.install_generated(path, [line = content + "\n"] { return line; });
  }

  // rdma-core loads ib_umad where there is InfiniBand; then every port has a device.
  void management_devices() {
    const std::vector<std::string> devices = management_devices_of(machine_);
    if (!devices.empty()) text("/sys/class/infiniband_mad/abi_version", "5");
    for (const std::string& device : devices)
      files_.install_directory("/sys/class/infiniband_mad/" + device);
  }

  void functions(std::size_t index) {
    const Card& card = machine_.state.cards[index];
    for (const CardPort& port : card.ports) {
      if (card.mlx4() && port.number > 1) continue;
      pci_function(index, card.function_of(port.number));
      // In RoCE LAG the second function has no device of its own.
      if (port.number == 1 || roce_bond(machine_, index) == nullptr)
        rdma_device(index, port.number);
    }
  }

  void pci_function(std::size_t index, const std::string& function) {
    const Card& card = machine_.state.cards[index];
    const std::string folder = device_folder(function);
    const HardwareModel& hardware = card.hardware;
    text(folder + "/vendor", "0x15b3");
    text(folder + "/device", fmt::format("0x{:04x}", card.device_id()));
    text(folder + "/subsystem_vendor", "0x15b3");
    text(folder + "/subsystem_device", "0x0008");
    text(folder + "/revision", "0x00");
    text(folder + "/numa_node", "0");
    const auto class_of = [owner = &machine_, index, function] {
      const Card& here = owner->state.cards[index];
      const std::size_t port = here.mlx4() ? 0 : static_cast<std::size_t>(function.back() - '0');
      const bool infiniband = here.ports[port].link_type == LinkType::infiniband &&
                              here.current_of("FORCE_ETH_PCI_SUBCLASS") == 0;
      return std::string{infiniband ? "0x020700\n" : "0x020000\n"};
    };
    files_.install_generated(folder + "/class", class_of);
    const std::string speed = hardware.pcie_generation >= 5   ? "32.0 GT/s PCIe"
                              : hardware.pcie_generation == 4 ? "16.0 GT/s PCIe"
                                                              : "8.0 GT/s PCIe";
    for (const std::string_view which : {"current", "max"}) {
      text(fmt::format("{}/{}_link_speed", folder, which), speed);
      const bool trained = which == "current" && card.pcie_lanes != 0;
      text(
          fmt::format("{}/{}_link_width", folder, which),
          std::to_string(trained ? card.pcie_lanes : hardware.pcie_width));
    }
    virtual_functions(index, function, folder);
    files_.install_symlink("/sys/bus/pci/devices/" + function, "../../../" + folder.substr(5));
    files_.install_directory("/sys/bus/pci/drivers/" + hardware.driver);
    files_.install_symlink(folder + "/driver", "../../../../bus/pci/drivers/" + hardware.driver);
    if (card.mlx4()) mlx4_ports(index, folder);
  }

  // No other number while there are any: EBUSY, as of the kernel's sriov_numvfs_store().
  void virtual_functions(
      std::size_t index, const std::string& function, const std::string& folder) {
    const Card& card = machine_.state.cards[index];
    const std::uint64_t most = card.current_of("SRIOV_EN") == 1 ? card.current_of("NUM_OF_VFS") : 0;
    const std::size_t port = card.mlx4() ? 0 : static_cast<std::size_t>(function.back() - '0');
    text(folder + "/sriov_totalvfs", std::to_string(most));
    files_.install_generated(
        folder + "/sriov_numvfs",
        [owner = &machine_, index, port] {
          return std::to_string(owner->state.cards[index].ports[port].vfs) + "\n";
        },
        [owner = &machine_, index, port, most](std::string_view value) {
          const std::optional<std::uint64_t> number = parse_unsigned(trim(value), 10);
          std::uint32_t& vfs = owner->state.cards[index].ports[port].vfs;
          if (!number || *number > most) return FileError::invalid;
          if (*number == vfs) return FileError::none;
          if (*number != 0 && vfs != 0) return FileError::busy;
          vfs = static_cast<std::uint32_t>(*number);
          owner->note_change();
          return FileError::none;
        });
  }

  // Immediate, not persistent; (eth, ib) is refused, so port 2 becomes eth before port 1.
  void mlx4_ports(std::size_t index, const std::string& folder) {
    for (const CardPort& port : machine_.state.cards[index].ports) {
      const std::size_t at = port.number - 1;
      files_.install_generated(
          fmt::format("{}/mlx4_port{}", folder, port.number),
          [owner = &machine_, index, at] {
            const LinkType type = owner->state.cards[index].ports[at].link_type;
            return std::string{type == LinkType::ethernet ? "eth\n" : "ib\n"};
          },
          [machine = &machine_, network = &network_, index, at](std::string_view value) {
            return set_mlx4_port(*machine, *network, index, at, trim(value));
          });
    }
  }

  static FileError set_mlx4_port(
      LinuxHost& machine,
      const Network& network,
      std::size_t index,
      std::size_t at,
      std::string_view value) {
    if (value != "eth" && value != "ib" && value != "auto") return FileError::invalid;
    std::vector<CardPort> ports = machine.state.cards[index].ports;
    ports[at].link_type = value == "eth" ? LinkType::ethernet : LinkType::infiniband;
    const bool refused = ports.size() == 2 && ports[0].link_type == LinkType::ethernet &&
                         ports[1].link_type == LinkType::infiniband;
    if (refused || !machine.state.cards[index].hardware.vpi()) return FileError::invalid;
    machine.state.cards[index].ports = ports;
    machine.note_change();
    make_card_interfaces(machine, index);
    // The file that is being written goes away with the tree: done last.
    const Network* world = &network;
    install_sysfs(machine, *world);
    return FileError::none;
  }

  void rdma_device(std::size_t index, std::uint32_t number) {
    const Card& card = machine_.state.cards[index];
    const std::string name = rdma_name(machine_, index, number);
    const std::string function = card.function_of(number);
    const std::string folder = device_folder(function) + "/infiniband/" + name;
    const std::uint64_t node_guid = card.base_guid + (card.mlx4() ? 0 : number - 1);
    text(folder + "/node_guid", guid_text(node_guid));
    text(folder + "/sys_image_guid", guid_text(card.base_guid));
    text(folder + "/fw_ver", card.firmware);
    text(folder + "/board_id", card.psid);
    text(folder + "/hca_type", fmt::format("MT{}", card.device_id()));
    text(folder + "/hw_rev", "0");
    text(folder + "/node_type", "1: CA");
    text(folder + "/node_desc", fmt::format("{} {}", machine_.state.hostname, name));
    install_class_file(machine_, folder, index, number);
    files_.install_symlink(folder + "/device", "../../../" + function);
    files_.install_symlink("/sys/class/infiniband/" + name, "../../" + folder.substr(5));
    for (const CardPort& port : card.ports) {
      if (card.mlx4() || port.number == number) rdma_port(index, port.number, folder);
    }
  }

  void rdma_port(std::size_t index, std::uint32_t number, const std::string& device) {
    const Card& card = machine_.state.cards[index];
    const CardPort& port = card.ports[number - 1];
    const std::string folder = fmt::format("{}/ports/{}", device, card.mlx4() ? number : 1);
    const bool ethernet = port.link_type == LinkType::ethernet;
    text(folder + "/link_layer", ethernet ? "Ethernet" : "InfiniBand");
    lids_and_keys(index, number, folder);
    text(folder + "/lid_mask_count", "0");
    text(folder + "/cap_mask", ethernet ? "0x00010000" : "0x2651e848");
    text(folder + "/gids/0", "fe80:0000:0000:0000:" + guid_text(port.guid));
    const auto state = [owner = &machine_, world = &network_, index, number](bool physical) {
      const PortState now = port_state(*owner, *world, index, number);
      return fmt::format(
          "{}: {}\n",
          physical ? now.physical : now.logical,
          physical ? now.physical_text() : now.logical_text());
    };
    files_.install_generated(folder + "/state", [state] { return state(false); });
    files_.install_generated(folder + "/phys_state", [state] { return state(true); });
    files_.install_generated(
        folder + "/rate", [owner = &machine_, world = &network_, index, number] {
          return rate_text(*owner, *world, index, number) + "\n";
        });
    install_rdma_counters(machine_, folder, index, number);
    if (ethernet) {
      install_roce_gids(
          machine_, folder, index, number, "fe80:0000:0000:0000:" + guid_text(port.guid));
    }
  }

  // What the subnet's master gave the port.
  void lids_and_keys(std::size_t index, std::uint32_t number, const std::string& folder) {
    const auto lids = [owner = &machine_, world = &network_, index, number] {
      return port_lids(*owner, *world, index, number);
    };
    files_.install_generated(
        folder + "/lid", [lids] { return fmt::format("0x{:x}\n", lids().own); });
    files_.install_generated(
        folder + "/sm_lid", [lids] { return fmt::format("0x{:x}\n", lids().manager); });
    for (std::size_t key = 0; key < kShownKeys; ++key) {
      files_.install_generated(
          fmt::format("{}/pkeys/{}", folder, key),
          [owner = &machine_, world = &network_, index, number, key] {
            const auto subnet = world->subnet(*owner, index, number);
            const bool managed = subnet && !subnet->managers.empty();
            // As the hardware begins.
            const std::vector<std::uint16_t> keys =
                managed ? subnet->pkeys : std::vector<std::uint16_t>{0xffff};
            return fmt::format("0x{:04x}\n", key < keys.size() ? keys[key] : 0);
          });
    }
  }

  void net(const Interface& interface) {
    std::string folder = "/sys/devices/virtual/net/" + interface.name;
    if (interface.card) {
      folder = device_folder(machine_.state.cards[*interface.card].function_of(interface.port)) +
               "/net/" + interface.name;
      files_.install_symlink(
          folder + "/device",
          "../../../" + machine_.state.cards[*interface.card].function_of(interface.port));
    } else if (interface.is_management()) {
      folder = "/sys/devices/pci0000:00/0000:00:1f.6/net/" + interface.name;
      files_.install_symlink(folder + "/device", "../../../0000:00:1f.6");
      text("/sys/devices/pci0000:00/0000:00:1f.6/vendor", "0x8086");
      text("/sys/devices/pci0000:00/0000:00:1f.6/device", "0x15bc");
      text("/sys/devices/pci0000:00/0000:00:1f.6/class", "0x020000");
      files_.install_symlink(
          "/sys/bus/pci/devices/0000:00:1f.6", "../../../devices/pci0000:00/0000:00:1f.6");
    }
    files_.install_symlink("/sys/class/net/" + interface.name, "../../" + folder.substr(5));
    text(folder + "/type", interface.loopback ? "772" : interface.infiniband ? "32" : "1");
    text(folder + "/ifindex", std::to_string(interface.index));
    text(folder + "/addr_len", interface.infiniband ? "20" : "6");
    if (interface.bond) text(folder + "/uevent", "DEVTYPE=bond\nINTERFACE=" + interface.name);
    if (interface.bridge) text(folder + "/uevent", "DEVTYPE=bridge\nINTERFACE=" + interface.name);
    if (interface.vlan) text(folder + "/uevent", "DEVTYPE=vlan\nINTERFACE=" + interface.name);
    if (interface.bridge) {
      for (const Interface& port : machine_.state.interfaces) {
        if (port.master == interface.index) text(folder + "/lower_" + port.name, "");
      }
    }
    const bool mlx4 = interface.card && machine_.state.cards[*interface.card].mlx4();
    text(folder + "/dev_port", std::to_string(mlx4 ? interface.port - 1 : 0));
    if (interface.card && !mlx4 && !interface.infiniband)
      text(folder + "/phys_port_name", fmt::format("p{}", interface.port - 1));
    if (interface.infiniband) {
      text(folder + "/pkey", "0xffff");
      ipoib_mode(folder, interface.name);
    }
    if (interface.bond) install_bond_files(machine_, network_, interface, folder);
    if (interface.master != 0) install_slave_files(machine_, network_, interface, folder);
    live(folder, interface.name);
    if (interface.card && !interface.infiniband)
      install_ecn_files(machine_, folder, *interface.card, interface.port);
    install_interface_counters(machine_, folder, interface.name);
  }

  void ipoib_mode(const std::string& folder, const std::string& name) {
    LinuxHost* machine = &machine_;
    files_.install_generated(
        folder + "/mode",
        [machine, name]() -> std::optional<std::string> {
          const Interface* interface = machine->find_interface(name);
          if (interface == nullptr || !interface->ipoib) return std::nullopt;
          return interface->ipoib->connected ? "connected\n" : "datagram\n";
        },
        [machine, name](std::string_view value) {
          Interface* interface = machine->find_interface(name);
          // "connected\n" and nothing else (ipoib_set_mode): what udev's ATTR writes has no
          // newline.
          const bool taken = interface != nullptr && interface->ipoib && value.ends_with('\n') &&
                             set_ipoib_mode(*machine, *interface, trim(value));
          return taken ? FileError::none : FileError::invalid;
        });
  }

  // Entries that change while the interface lives.
  void live(const std::string& folder, const std::string& name) {
    LinuxHost* machine = &machine_;
    const Network* network = &network_;
    const auto field = [&](const std::string& file, auto read) {
      files_.install_generated(
          folder + "/" + file, [machine, network, name, read]() -> std::optional<std::string> {
            const Interface* interface = machine->find_interface(name);
            if (interface == nullptr) return std::nullopt;
            return read(*machine, *network, *interface);
          });
    };
    using Text = std::optional<std::string>;
    field("address", [](const LinuxHost&, const Network&, const Interface& i) -> Text {
      return i.mac + "\n";
    });
    field("operstate", [](const LinuxHost& m, const Network& n, const Interface& i) -> Text {
      if (i.loopback) return "unknown\n";
      return i.up && has_carrier(n, m, i) ? "up\n" : "down\n";
    });
    field("carrier", [](const LinuxHost& m, const Network& n, const Interface& i) -> Text {
      if (!i.up) return std::nullopt;
      return has_carrier(n, m, i) ? "1\n" : "0\n";
    });
    field("speed", [](const LinuxHost& m, const Network& n, const Interface& i) -> Text {
      if (!i.up || i.loopback) return std::nullopt;
      if (!has_carrier(n, m, i)) return "-1\n";
      return std::to_string(1000 * interface_gbps(m, n, i)) + "\n";
    });
    field("flags", [](const LinuxHost&, const Network&, const Interface& i) -> Text {
      return fmt::format(
          "0x{:x}\n",
          (i.loopback ? 0x8U : 0x1002U) | (i.up ? 1U : 0U) | (i.bond ? 0x400U : 0U) |
              (i.master != 0 ? 0x800U : 0U));
    });
    live_mtu(folder, name);
  }

  void live_mtu(const std::string& folder, const std::string& name) {
    LinuxHost* machine = &machine_;
    files_.install_generated(
        folder + "/mtu",
        [machine, name]() -> std::optional<std::string> {
          const Interface* interface = machine->find_interface(name);
          if (interface == nullptr) return std::nullopt;
          return std::to_string(interface->mtu) + "\n";
        },
        [machine, name](std::string_view value) {
          Interface* interface = machine->find_interface(name);
          const std::optional<std::uint64_t> mtu = parse_unsigned(trim(value), 10);
          if (interface == nullptr || !mtu || *mtu > 100'000) return FileError::invalid;
          return set_mtu(*machine, *interface, static_cast<std::uint32_t>(*mtu)).empty()
                     ? FileError::none
                     : FileError::invalid;
        });
  }

  LinuxHost& machine_;
  const Network& network_;
  FileTree& files_;
};

}  // namespace

void install_sysfs(LinuxHost& machine, const Network& network) {
  Sysfs{machine, network}.install();
  install_module_files(machine);
}

}  // namespace fabric::lab
