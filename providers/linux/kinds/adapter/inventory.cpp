// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/adapter/inventory.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/uplink.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

namespace {

// PCI Local Bus Specification 3.0, appendix I.
constexpr unsigned char kLargeResource = 0x80;
constexpr unsigned char kReadOnlyFields = 0x90;
constexpr std::string_view kManagesNvswitches = "SMDL=SW_MNG";

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 2 <= hex.size(); at += 2) {
    const auto byte = parse_unsigned(hex.substr(at, 2), 16);
    if (!byte) break;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

std::size_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

// Two letters, a length, that many bytes; one after the other.
void read_fields(std::string_view fields, ProductData& data) {
  while (fields.size() >= 3) {
    const std::string_view keyword = fields.substr(0, 2);
    const std::size_t length = byte_at(fields, 2);
    if (fields.size() < 3 + length) return;
    std::string_view value = fields.substr(3, length);
    value = trim(value.substr(0, value.find('\0')));
    if (keyword == "PN") data.part_number = std::string{value};
    if (keyword == "SN") data.serial = std::string{value};
    // A field of the vendor: "MLX:MN=MLNX:CSKU=V2:...:SMDL=SW_MNG".
    if (keyword.front() == 'V') {
      for (const std::string_view part : split(value, ':'))
        data.manages_nvswitches = data.manages_nvswitches || part == kManagesNvswitches;
    }
    fields.remove_prefix(3 + length);
  }
}

constexpr std::string_view kInventoryProbe = "pci";
constexpr std::string_view kDevices = "/sys/bus/pci/devices/";
constexpr std::string_view kEthernetType = "1";  // ARPHRD_ETHER of /sys/class/net/*/type

// Files of one folder of sysfs, by their names.
using Files = std::map<std::string, std::string, std::less<>>;

struct Function {
  PciAddress address;
  Files files;
  std::map<std::string, Files> netdevs;       // "enp1s0f0np0"
  std::map<std::string, Files> rdma_devices;  // files as "ports/1/link_layer"
};

std::string file(const Files& files, std::string_view name) {
  const auto found = files.find(name);
  return found == files.end() ? std::string{} : found->second;
}

// "net/enp1s0/mtu" is a file of that netdev, "vendor" one of the function.
void read_file(Function& function, std::string_view path, std::string_view content) {
  const auto in_folder = [&](std::string_view folder, std::map<std::string, Files>& devices) {
    if (!path.starts_with(folder)) return false;
    const std::string_view rest = path.substr(folder.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return true;
    devices[std::string{rest.substr(0, slash)}].insert_or_assign(
        std::string{rest.substr(slash + 1)}, std::string{content});
    return true;
  };
  if (in_folder("net/", function.netdevs) || in_folder("infiniband/", function.rdma_devices))
    return;
  function.files.insert_or_assign(std::string{path}, std::string{content});
}

// "/sys/bus/pci/devices/0000:01:00.0/net/enp1s0/mtu:1500": the address itself has colons.
std::map<PciAddress, Function> read_functions(std::string_view text) {
  std::map<PciAddress, Function> functions;
  // Lines of one function follow each other.
  std::string_view folder;
  Function* function = nullptr;
  for (std::string_view line : split_lines(text)) {
    if (!line.starts_with(kDevices)) continue;
    line.remove_prefix(kDevices.size());
    const std::size_t slash = line.find('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view rest = line.substr(slash + 1);
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) continue;
    if (function == nullptr || line.substr(0, slash) != folder) {
      const Result<PciAddress> address = PciAddress::parse(line.substr(0, slash));
      if (!address) continue;
      folder = line.substr(0, slash);
      function = &functions.try_emplace(*address, Function{*address, {}, {}, {}}).first->second;
    }
    read_file(*function, rest.substr(0, colon), trim(rest.substr(colon + 1)));
  }
  return functions;
}

bool is_virtual(const Function& function) {
  return function.files.contains("physfn");
}

// For each physical function: its virtual functions.
std::map<PciAddress, std::vector<VirtualFunction>> virtual_functions(
    const std::map<PciAddress, Function>& functions) {
  std::map<PciAddress, std::vector<VirtualFunction>> by_port;
  for (const auto& [address, function] : functions) {
    const Result<PciAddress> port = PciAddress::parse(file(function.files, "physfn"));
    if (!port) continue;
    VirtualFunction found{
        address, file(function.files, "driver"), file(function.files, "class"), {}};
    for (const auto& [name, files] : function.netdevs)
      found.netdevs.push_back(name);
    by_port[*port].push_back(std::move(found));
  }
  return by_port;
}

std::optional<MacAddress> mac_of(std::string_view text) {
  const Result<MacAddress> mac = MacAddress::parse(text);
  // The all-zero address that ethtool prints for a device without one.
  if (!mac || mac->bits() == 0) return std::nullopt;
  return *mac;
}

void read_netdev(AdapterPort& port, const std::string& name, const Files& files) {
  port.netdev = name;
  port.netdev_is_ethernet = file(files, "type") == kEthernetType;
  port.mtu = parse_integer(file(files, "mtu")).value_or(0);
  if (port.link_layer == LinkLayer::unknown) {
    port.link_layer = port.netdev_is_ethernet ? LinkLayer::ethernet : LinkLayer::infiniband;
  }
  port.mac.reset();
  port.permanent_mac.reset();
  if (!port.netdev_is_ethernet) return;
  port.mac = mac_of(file(files, "address"));
  constexpr std::string_view kLabel = "Permanent address:";
  const std::string told = file(files, "ethtool-permanent");
  if (told.starts_with(kLabel))
    port.permanent_mac = mac_of(trim(std::string_view{told}.substr(kLabel.size())));
  if (!port.permanent_mac && !files.contains("master")) port.permanent_mac = port.mac;
}

// The low half of the port's first GID; the tables of RoCE hold addresses of Ethernet instead.
std::optional<Guid> guid_in_gid(const std::string& gid) {
  const std::vector<std::string_view> groups = split(gid, ':');
  constexpr std::size_t kGroups = 8;
  if (groups.size() != kGroups) return std::nullopt;
  const Result<Guid> guid =
      Guid::parse(fmt::format("0x{}{}{}{}", groups[4], groups[5], groups[6], groups[7]));
  if (!guid || guid->bits() == 0) return std::nullopt;
  return *guid;
}

// The GUID of a port that is not InfiniBand yet: mlx5 gives a function's only port the GUID of its
// node (E-mlx5-port-guid), mlx4 counts on from it. Once the port is InfiniBand its GUID is read.
std::optional<Guid> guid_to_come(const AdapterPort& port, bool shared) {
  if (!port.node_guid || port.node_guid->bits() == 0) return std::nullopt;
  return Guid{port.node_guid->bits() + (shared ? port.number : 0)};
}

void read_rdma_device(AdapterPort& port, const std::string& name, const Files& files) {
  // A function with a port for each device has its port 1; mlx4 has both in one device.
  std::string layer = file(files, fmt::format("ports/{}/link_layer", port.number));
  if (layer.empty()) layer = file(files, "ports/1/link_layer");
  port.rdma_device = name;
  port.rdma_ports = files.contains("ports/2/link_layer") ? 2 : 1;
  if (layer == "Ethernet") port.link_layer = LinkLayer::ethernet;
  if (layer == "InfiniBand") port.link_layer = LinkLayer::infiniband;
  if (const Result<Guid> guid = Guid::parse(file(files, "node_guid")); guid) port.node_guid = *guid;
  if (port.link_layer != LinkLayer::infiniband) return;
  std::string gid = file(files, fmt::format("ports/{}/gids/0", port.number));
  if (gid.empty()) gid = file(files, "ports/1/gids/0");
  port.port_guid = guid_in_gid(gid);
}

// mlx4 tells the type of each port also while no driver of that type is loaded.
void read_mlx4_type(AdapterPort& port, const Files& files) {
  const std::string type = file(files, fmt::format("mlx4_port{}", port.number));
  if (type.empty()) return;
  port.link_layer =
      type.find("eth") != std::string::npos ? LinkLayer::ethernet : LinkLayer::infiniband;
}

Uplink uplink_of(const Files& files) {
  return uplink_by(file(files, "phys_port_name"), file(files, "phys_switch_id"));
}

// A child of IPoIB is listed beside its parent.
bool is_child(const std::string& name, const Files& files) {
  return file(files, "type") != kEthernetType &&
         (name.find('.') != std::string::npos || files.contains("iflink"));
}

// The function's interfaces that may belong to this port, those that fit its link layer best.
std::vector<std::string> interfaces_of(
    const Function& function, const AdapterPort& port, bool shared) {
  const bool ethernet_wanted = port.link_layer != LinkLayer::infiniband;
  // Left-overs of the other link layer count where there is nothing else, children after parents.
  std::map<std::tuple<bool, bool, bool>, std::vector<std::string>> by_fitness;
  for (const auto& [name, files] : function.netdevs) {
    const auto dev_port = parse_integer(file(files, "dev_port")).value_or(0);
    if (shared && dev_port + 1 != static_cast<std::int64_t>(port.number)) continue;
    const Uplink uplink = uplink_of(files);
    if (uplink == Uplink::no) continue;
    const bool fits = (file(files, "type") == kEthernetType) == ethernet_wanted;
    by_fitness[{!fits, is_child(name, files), uplink != Uplink::yes}].push_back(name);
  }
  return by_fitness.empty() ? std::vector<std::string>{} : by_fitness.begin()->second;
}

void read_interface(AdapterPort& port, const Function& function, bool shared) {
  port.switchdev = std::ranges::any_of(function.netdevs, [](const auto& entry) {
    return uplink_of(entry.second) == Uplink::no || !file(entry.second, "phys_switch_id").empty();
  });
  std::vector<std::string> names = interfaces_of(function, port, shared);
  if (names.size() > 1) {
    port.undecided = std::move(names);
  } else if (!names.empty()) {
    const Files& files = function.netdevs.at(names.front());
    port.phys_port_name = file(files, "phys_port_name");
    read_netdev(port, names.front(), files);
  }
}

AdapterPort port_of(const Function& function, std::uint32_t number, bool shared) {
  AdapterPort port{.number = number, .function = function.address};
  port.pci_class = file(function.files, "class");
  port.sriov_total = parse_integer(file(function.files, "sriov_totalvfs"));
  port.sriov_vfs = parse_integer(file(function.files, "sriov_numvfs"));
  for (const auto& [name, files] : function.rdma_devices)
    read_rdma_device(port, name, files);
  if (shared) read_mlx4_type(port, function.files);
  if (!port.port_guid) port.port_guid = guid_to_come(port, shared);
  read_interface(port, function, shared);
  return port;
}

std::uint32_t port_count(const Function& function) {
  std::uint32_t count = 1;
  if (function.files.contains("mlx4_port2")) count = 2;
  for (const auto& [name, files] : function.rdma_devices) {
    if (files.contains("ports/2/link_layer")) count = 2;
  }
  for (const auto& [name, files] : function.netdevs) {
    if (file(files, "dev_port") == "1" && uplink_of(files) != Uplink::no) count = 2;
  }
  return count;
}

// "firmware-version: 16.35.2000 (MT_0000000008)"
void read_ethtool_firmware(Card& card, std::string_view told) {
  const std::size_t colon = told.find(':');
  if (colon == std::string_view::npos) return;
  const std::vector<std::string_view> words = split_words(told.substr(colon + 1));
  if (!words.empty() && card.firmware.empty()) card.firmware = std::string{words[0]};
  if (words.size() < 2 || !card.psid.empty()) return;
  if (words[1].starts_with('(') && words[1].ends_with(')')) {
    card.psid = std::string{words[1].substr(1, words[1].size() - 2)};
  }
}

void add_function(Card& card, const Function& function) {
  if (card.driver.empty()) card.driver = file(function.files, "driver");
  if (card.pcie_speed.empty()) card.pcie_speed = file(function.files, "current_link_speed");
  if (!card.pcie_width) card.pcie_width = parse_integer(file(function.files, "current_link_width"));
  const ProductData data = product_data(file(function.files, "vpd"));
  if (card.serial.empty()) card.serial = data.serial;
  if (card.part_number.empty()) card.part_number = data.part_number;
  for (const auto& [name, files] : function.rdma_devices) {
    if (card.firmware.empty()) card.firmware = file(files, "fw_ver");
    if (card.psid.empty()) card.psid = file(files, "board_id");
    if (card.system_image.empty()) card.system_image = file(files, "sys_image_guid");
  }
  for (const auto& [name, files] : function.netdevs)
    read_ethtool_firmware(card, file(files, "ethtool-driver"));
  const bool shared = card.driver == "mlx4_core" || port_count(function) > 1;
  const std::uint32_t first = shared ? 1 : function.address.function() + 1;
  const std::uint32_t count = shared ? port_count(function) : 1;
  for (std::uint32_t number = first; number < first + count; ++number) {
    card.ports.push_back(port_of(function, number, shared));
  }
}

std::vector<Card> read_inventory(std::string_view text) {
  std::vector<Card> cards;
  const std::map<PciAddress, Function> functions = read_functions(text);
  for (const auto& [address, function] : functions) {
    // Virtual functions are no cards.
    if (is_virtual(function)) continue;
    if (product_data(file(function.files, "vpd")).manages_nvswitches) continue;
    const auto id = file(function.files, "device");
    const auto device_id =
        id.starts_with("0x") ? parse_unsigned(std::string_view{id}.substr(2), 16) : std::nullopt;
    if (!device_id) continue;
    const auto place = [](const PciAddress& at) {
      return std::tuple{at.domain(), at.bus(), at.device()};
    };
    if (cards.empty() || place(cards.back().address) != place(address)) {
      Card card{address, static_cast<std::uint32_t>(*device_id), {}, {}, {}, {}, {}, {}};
      cards.push_back(std::move(card));
    }
    add_function(cards.back(), function);
  }
  auto made = virtual_functions(functions);
  for (Card& card : cards) {
    for (AdapterPort& port : card.ports)
      port.functions = std::exchange(made[port.function], {});
  }
  return cards;
}

}  // namespace

ProductData product_data(std::string_view hex) {
  const std::string bytes = bytes_of(hex);
  std::string_view rest = bytes;
  ProductData data;
  while (rest.size() >= 3 && (byte_at(rest, 0) & kLargeResource) != 0) {
    const std::size_t length = byte_at(rest, 1) + (byte_at(rest, 2) << 8U);
    if (rest.size() < 3 + length) break;
    if (byte_at(rest, 0) == kReadOnlyFields) read_fields(rest.substr(3, length), data);
    rest.remove_prefix(3 + length);
  }
  return data;
}

Probe pci_probe() {
  return {std::string{kInventoryProbe}, std::string{sh::probe_pci.text}};
}

const std::vector<Card>& inventory_of(const NodeFacts& facts) {
  return facts.parsed_or_none(kInventoryProbe, read_inventory);
}

}  // namespace fabric::providers
