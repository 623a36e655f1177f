// SPDX-License-Identifier: Apache-2.0
// From a node of the document and lab.yaml to a simulated Linux host.
#include "providers/linux/lab/build_linux.hpp"

#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/card/parameters.hpp"
#include "engine/model/hardware.hpp"
#include "providers/linux/lab/kernel/modules.hpp"
#include "providers/linux/lab/linux_machine.hpp"
#include "providers/linux/lab/system/base_system.hpp"

namespace fabric::lab {
namespace {

Archive archive_of(std::string_view text) {
  if (text == "offline") return Archive::offline;
  if (text == "unsubscribed") return Archive::unsubscribed;
  return text == "locked" ? Archive::locked : Archive::online;
}

// For a node without an address in the document: the lease of its DHCP server.
std::string management_address(const NodeSpec& node) {
  if (const std::optional<IpPrefix> address = IpPrefix::parse(node.address.value))
    return address->address();
  constexpr std::uint32_t kLeases = 200;
  std::uint32_t sum = 0;
  for (const char letter : node.name.str())
    sum = sum * 31 + static_cast<unsigned char>(letter);
  return fmt::format("192.0.2.{}", 1 + sum % kLeases);
}

// A neighbour in the management network, so that a route leads back to it.
std::string neighbour_of(const std::string& address) {
  const bool ipv6 = address.find(':') != std::string::npos;
  const std::string network = address.substr(0, address.find_last_of(ipv6 ? ':' : '.') + 1);
  if (ipv6) return network + "fffe";
  return network + (address == network + "254" ? "253" : "254");
}

}  // namespace

MachineProfile profile_of(const NodeSpec& node, const LabHost& host) {
  MachineProfile profile;
  profile.name = node.name.str();
  profile.address = management_address(node);
  profile.client = host.client.value_or(neighbour_of(profile.address));
  const NetworkBackend wanted = node.network_backend.value;
  profile.backend = host.backend.value_or(
      std::string{wanted == NetworkBackend::automatic ? "networkd" : to_string(wanted)});
  profile.bridge = host.bridge.value_or("");
  profile.tool = host.tool.value_or(profile.tool);
  profile.tool_version = host.tool_version.value_or(profile.tool_version);
  profile.lldpd = host.lldpd.value_or(profile.lldpd);
  profile.archive = archive_of(host.archive.value_or("online"));
  profile.boot_time = host.boot_time.value_or(profile.boot_time);
  // fabric installs no driver stack, so a document that asks for one finds it installed.
  if (node.software->stack.value == "mlnx_ofed") {
    const std::string& minimum = node.software->minimum.value;
    profile.ofed = minimum.empty() ? "5.8-1.1.2.1" : minimum;
  }
  const std::string& user = node.ssh->user.value;
  if (!user.empty() && user != "root") profile.users.push_back(user);
  return profile;
}

namespace {

std::string without_function(const std::string& pci) {
  const std::string whole = pci.size() == 7 || pci.size() == 5 ? "0000:" + pci : pci;
  const std::size_t point = whole.find('.');
  return to_lower(whole.substr(0, point));
}

// Gives a card the identity by which the document selects it.
void follow_selector(Card& card, const AdapterSelector& selector) {
  if (!selector.pci.value.empty()) card.pci = without_function(selector.pci.value);
  if (!selector.serial.value.empty()) card.serial = selector.serial.value;
  if (!selector.node_guid.value.empty()) {
    if (const Result<Guid> guid = Guid::parse(selector.node_guid.value))
      set_base_guid(card, guid->bits());
  }
  if (!selector.mac.value.empty()) {
    const Result<MacAddress> mac = MacAddress::parse(selector.mac.value);
    if (mac)
      set_base_guid(
          card,
          ((mac->bits() >> 24U) << 40U) | (std::uint64_t{0x0300} << 24U) |
              (mac->bits() & 0xFFFFFFU));
  }
}

const HardwareModel* model_of(const AdapterSpec& adapter, const LabAdapter& reality) {
  return reality.model ? find_hardware(*reality.model) : adapter.hardware;
}

}  // namespace

void insert_cards(LinuxHost& machine, const NodeSpec& node, const LabHost& host) {
  std::uint32_t index = 0;
  for (const AdapterSpec& adapter : *node.adapters) {
    const auto found = host.adapters.find(adapter.name);
    const LabAdapter reality = found == host.adapters.end() ? LabAdapter{} : found->second;
    const HardwareModel* model = model_of(adapter, reality);
    // Drawn even for a card that is missing, so that the others keep their identity.
    const std::uint64_t seed = machine.random.next();
    if (model == nullptr || reality.missing) continue;
    Random random{seed};
    Card card = make_card(*model, adapter.ports.value, index++, random);
    card.adapter = adapter.name;
    follow_selector(card, adapter.selector);
    if (reality.firmware) card.firmware = *reality.firmware;
    card.pcie_lanes = reality.pcie_lanes;
    if (reality.pci) card.pci = without_function(*reality.pci);
    if (reality.serial) card.serial = *reality.serial;
    if (reality.psid) card.psid = *reality.psid;
    if (reality.node_guid) {
      if (const Result<Guid> guid = Guid::parse(*reality.node_guid))
        set_base_guid(card, guid->bits());
    }
    apply_settings(card, reality.settings, true);
    machine.state.cards.push_back(std::move(card));
  }
}

namespace {

// True for files that their programs keep private: netplan complains of other modes, NetworkManager
// does not read such files.
bool is_for_root_alone(const std::string& path) {
  return path.starts_with("/etc/netplan/") ||
         path.starts_with("/etc/NetworkManager/system-connections/");
}

}  // namespace

std::unique_ptr<Machine> make_linux_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed) {
  auto machine = std::make_unique<LinuxMachine>(profile_of(node, host), seed);
  machine->epoch = kEpochMilliseconds;
  // Installed long before it was switched on.
  constexpr std::int64_t kMonth = std::int64_t{30} * 24 * 3600 * 1000;
  machine->state.files.set_time(kEpochMilliseconds - kMonth);
  install_base_system(*machine);
  insert_cards(*machine, node, host);
  for (const auto& [path, content] : host.files)
    machine->state.files.install(path, content, is_for_root_alone(path) ? 0600 : 0644);
  install_kernel_files(*machine);
  return machine;
}

// Foreign settings that wait for the next boot, and the boot that a copied host is in.
void LinuxMachine::prepare(const LabHost& host) {
  for (Card& card : state.cards) {
    const auto found = host.adapters.find(card.adapter);
    if (found != host.adapters.end()) apply_settings(card, found->second.next_boot, false);
  }
  if (!host.boot_id) return;
  state.boot_id = *host.boot_id;
  boots_from = hash_of(*host.boot_id);
}

}  // namespace fabric::lab
