// SPDX-License-Identifier: Apache-2.0
// /sys as Linux shows it (E-linux-sysfs): class/net, class/infiniband and bus/pci/devices, all of
// them symlinks into /sys/devices.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/host/linux_host.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/kernel/kernel_files.hpp"
#include "providers/linux/lab/kernel/links.hpp"
#include "providers/linux/lab/kernel/modules.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab {

namespace {

// The GID table of a RoCE port, which follows the addresses of its interface.

constexpr std::size_t kShown = 8;  // the first of a table of 256
constexpr const char* kNone = "0000:0000:0000:0000:0000:0000:0000:0000\n";

// "10.30.0.1" as a GID; "" for IPv6, whose GIDs the lab does not show.
std::string gid_of(const std::string& address) {
  const std::vector<std::string_view> parts = split(address, '.');
  if (parts.size() != 4) return {};
  std::string gid = "0000:0000:0000:0000:0000:ffff:";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    gid += fmt::format("{:02x}", parse_integer(parts[i]).value_or(0));
    if (i == 1) gid += ':';
  }
  return gid;
}

struct Port {
  const LinuxHost* machine = nullptr;
  std::size_t card = 0;
  std::uint32_t number = 1;
  std::string local;

  const Interface* interface() const {
    const Interface* bond = roce_bond(*machine, card);
    return bond == nullptr ? machine->interface_of_port(card, number) : bond;
  }

  // Each address twice, first as RoCE v1, then as v2; the link-local one first.
  std::optional<std::string> gid(std::size_t entry) const {
    const Interface* device = interface();
    if (device == nullptr) return std::nullopt;
    std::vector<std::string> all{local};
    for (const IpPrefix& address : device->addresses) {
      if (std::string gid = gid_of(address.address()); !gid.empty()) all.push_back(std::move(gid));
    }
    if (entry / 2 >= all.size()) return std::nullopt;
    return all[entry / 2];
  }
};

// Below `folder`, that of the port in sysfs: gids, gid_attrs/ndevs, gid_attrs/types. `local` is the
// GID that the port has without any address. `machine` must outlive its files.
void install_roce_gids(
    LinuxHost& machine,
    const std::string& folder,
    std::size_t card,
    std::uint32_t port,
    const std::string& local) {
  using Text = std::optional<std::string>;
  FileTree& files = machine.state.files;
  const Port of{&machine, card, port, local};
  for (std::size_t entry = 0; entry < kShown; ++entry) {
    if (entry > 0) {
      files.install_generated(fmt::format("{}/gids/{}", folder, entry), [of, entry]() -> Text {
        const Text gid = of.gid(entry);
        return gid ? *gid + "\n" : kNone;
      });
    }
    // The kernel refuses to read these where there is no GID.
    files.install_generated(
        fmt::format("{}/gid_attrs/ndevs/{}", folder, entry), [of, entry]() -> Text {
          if (!of.gid(entry)) return std::nullopt;
          return of.interface()->name + "\n";
        });
    files.install_generated(
        fmt::format("{}/gid_attrs/types/{}", folder, entry), [of, entry]() -> Text {
          if (!of.gid(entry)) return std::nullopt;
          return entry % 2 == 0 ? "IB/RoCE v1\n" : "RoCE v2\n";
        });
  }
}

// Error and link-down counters of a simulated host, as sysfs shows them
// (Documentation/ABI/testing/sysfs-class-net, sysfs-class-infiniband).

constexpr std::string_view kStatistics[] = {
    "rx_errors",
    "tx_errors",
    "rx_crc_errors",
    "rx_frame_errors",
    "rx_length_errors",
    "tx_carrier_errors",
    "rx_dropped",
    "tx_dropped"};
// A counter with its width in bits; it stops at its maximum (E-ib-counter-widths).
struct PmaCounter {
  std::string_view name;
  unsigned bits;
};
constexpr PmaCounter kRdmaCounters[] = {
    {"symbol_error", 16},
    {"link_error_recovery", 8},
    {"link_downed", 8},
    {"port_rcv_errors", 16},
    {"port_rcv_remote_physical_errors", 16},
    {"local_link_integrity_errors", 4},
    {"excessive_buffer_overrun_errors", 4}};

// Counters of RoCE ports: losses on the way, and congestion control (E-qos-counters).
constexpr std::string_view kRoceCounters[] = {
    "out_of_sequence",
    "packet_seq_err",
    "np_cnp_sent",
    "np_ecn_marked_roce_packets",
    "rp_cnp_handled"};

const CardPort* port_of(const LinuxHost& machine, const std::string& name) {
  const Interface* interface = machine.find_interface(name);
  if (interface == nullptr || !interface->card || interface->is_virtual()) return nullptr;
  return &machine.state.cards[*interface->card].ports[interface->port - 1];
}

// carrier_changes, carrier_down_count and statistics/* below `folder`, the device's own.
void install_interface_counters(
    LinuxHost& machine, const std::string& folder, const std::string& interface) {
  FileTree& files = machine.state.files;
  for (const std::string_view counter : kStatistics) {
    const bool damaged = counter == "rx_errors" || counter == "rx_crc_errors";
    files.install_generated(
        folder + "/statistics/" + std::string{counter}, [owner = &machine, interface, damaged] {
          const CardPort* port = port_of(*owner, interface);
          return std::to_string(damaged && port != nullptr ? port->damaged_frames : 0) + "\n";
        });
  }
  // Every loss but the last was followed by a return.
  for (const bool both_ways : {false, true}) {
    files.install_generated(
        folder + (both_ways ? "/carrier_changes" : "/carrier_down_count"),
        [owner = &machine, interface, both_ways] {
          const CardPort* port = port_of(*owner, interface);
          const std::uint64_t lost = port == nullptr ? 0 : port->lost_links;
          return std::to_string(both_ways ? 2 * lost + 1 : lost) + "\n";
        });
  }
}

// counters/* below `folder`, .../infiniband/DEVICE/ports/N. `port` counts from 1.
void install_rdma_counters(
    LinuxHost& machine, const std::string& folder, std::size_t card, std::uint32_t port) {
  if (machine.state.cards[card].ports[port - 1].link_type == LinkType::ethernet) {
    for (const std::string_view counter : kRoceCounters) {
      machine.state.files.install_generated(
          folder + "/hw_counters/" + std::string{counter}, [] { return std::string{"0\n"}; });
    }
  }
  for (const PmaCounter& counter : kRdmaCounters) {
    machine.state.files.install_generated(
        folder + "/counters/" + std::string{counter.name}, [owner = &machine, card, port, counter] {
          const CardPort& hardware = owner->state.cards[card].ports[port - 1];
          // A RoCE port counts in its network device.
          const bool counts = hardware.link_type == LinkType::infiniband;
          std::uint64_t value = 0;
          if (counts && counter.name == "symbol_error") value = hardware.damaged_frames;
          if (counts && counter.name == "link_downed") value = hardware.lost_links;
          const std::uint64_t top = (std::uint64_t{1} << counter.bits) - 1;
          return std::to_string(std::min(value, top)) + "\n";
        });
  }
}

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
    // The file that is being written is removed with the tree: done last.
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

  // The LID and the P_Keys that the subnet's master gave the port.
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
            // The hardware's initial table.
            const std::vector<std::uint16_t> keys =
                managed ? subnet->pkeys : std::vector<std::uint16_t>{0xffff};
            return fmt::format("0x{:04x}\n", key < keys.size() ? keys[key] : 0);
          });
    }
  }

  void net(const Interface& interface) {
    std::string folder = "/sys/devices/virtual/net/" + interface.name;
    if (interface.card && !interface.is_virtual()) {
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
    const bool mlx4 =
        interface.card && !interface.is_virtual() && machine_.state.cards[*interface.card].mlx4();
    text(folder + "/dev_port", std::to_string(mlx4 ? interface.port - 1 : 0));
    if (interface.card && !mlx4 && !interface.infiniband)
      text(folder + "/phys_port_name", fmt::format("p{}", interface.port - 1));
    if (interface.ipoib) ipoib(folder, interface);
    if (interface.bond) install_bond_files(machine_, network_, interface, folder);
    if (interface.master != 0) install_slave_files(machine_, network_, interface, folder);
    live(folder, interface.name);
    if (interface.card && !interface.infiniband)
      install_ecn_files(machine_, folder, *interface.card, interface.port);
    install_interface_counters(machine_, folder, interface.name);
  }

  // A child that netlink made has none of these (ipoib_vlan.c of Linux 6.1).
  void ipoib(const std::string& folder, const Interface& interface) {
    const Interface* parent = machine_.interface_of_index(interface.ipoib->parent);
    if (parent != nullptr && !interface.ipoib->by_create_child) return;
    text(folder + "/pkey", fmt::format("0x{:04x}", interface.ipoib->key));
    ipoib_mode(folder, interface.name);
    if (parent != nullptr) return text(folder + "/parent", parent->name);
    for (const bool creates : {true, false}) {
      files_.install_generated(
          folder + (creates ? "/create_child" : "/delete_child"),
          [] { return std::nullopt; },
          [machine = &machine_, network = &network_, name = interface.name, creates](
              std::string_view value) {
            // The file that is being written is removed with the tree.
            const std::string of = name;
            return creates ? create_child(*machine, *network, of, trim(value))
                           : delete_child(*machine, *network, of, trim(value));
          });
    }
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
