#include "engine/lab/build_machines.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/card/parameters.hpp"
#include "engine/lab/linux/kernel/modules.hpp"
#include "engine/lab/linux/system/base_system.hpp"

namespace fabric::lab {
namespace {

Archive archive_of(std::string_view text) {
  if (text == "offline") return Archive::offline;
  return text == "locked" ? Archive::locked : Archive::online;
}

MachineProfile profile_of(const NodeSpec& node, const LabHost& host) {
  MachineProfile profile;
  profile.name = node.name.str();
  if (const std::optional<IpPrefix> address = IpPrefix::parse(node.address.value))
    profile.address = address->address();
  const NetworkBackend wanted = node.network_backend.value;
  profile.backend = host.backend.value_or(
      wanted == NetworkBackend::ifupdown ? "ifupdown"
      : wanted == NetworkBackend::ifcfg  ? "ifcfg"
                                         : "networkd");
  profile.tool = host.tool.value_or(profile.tool);
  profile.tool_version = host.tool_version.value_or(profile.tool_version);
  profile.lldpd = host.lldpd.value_or(profile.lldpd);
  profile.archive = archive_of(host.archive.value_or("online"));
  profile.boot_time = host.boot_time.value_or(profile.boot_time);
  // fabric installs no driver stack: who asks for one has it.
  if (node.software->stack.value == "mlnx_ofed") {
    const std::string& minimum = node.software->minimum.value;
    profile.ofed = minimum.empty() ? "5.8-1.1.2.1" : minimum;
  }
  const std::string& user = node.ssh->user.value;
  if (!user.empty() && user != "root") profile.users.push_back(user);
  return profile;
}

std::string without_function(const std::string& pci) {
  const std::string whole = pci.size() == 7 || pci.size() == 5 ? "0000:" + pci : pci;
  const std::size_t point = whole.find('.');
  return to_lower(whole.substr(0, point));
}

void set_base_guid(Card& card, std::uint64_t guid) {
  card.base_guid = guid;
  for (CardPort& port : card.ports) {
    port.guid = guid + port.number - (card.mlx4() ? 0 : 1);
    const std::uint64_t mac = ((guid >> 40U) << 24U) | (guid & 0xFFFFFFU);
    port.mac = mac_text(mac + port.number - 1);
  }
}

// A card that the document selects by what it is must be just that.
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

// Names that are no parameter of the card are left out: a card can't be set to what it has not.
void apply_settings(Card& card, const std::map<std::string, std::string>& settings, bool running) {
  for (const auto& [name, text] : settings) {
    const std::string base = name.substr(0, name.find('['));
    for (const Parameter& parameter : parameters_of(card)) {
      if (parameter.name != base) continue;
      const std::optional<std::uint64_t> value = parse_value(parameter, text);
      if (!value) continue;
      card.settings[name].next = *value;
      if (running) card.settings[name].current = *value;
    }
  }
}

const HardwareModel* model_of(const AdapterSpec& adapter, const LabAdapter& reality) {
  return reality.model ? find_hardware(*reality.model) : adapter.hardware;
}

void insert_cards(Machine& machine, const NodeSpec& node, const LabHost& host) {
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

// The switch is configured as the document wants its port channels: one for each bond.
void add_port_channels(World& world, const FabricSpec& fabric) {
  for (const auto& [name, network] : fabric.networks) {
    const std::string channel = network.lag ? network.lag->port_channel.value : "";
    if (channel.empty() || channel == "none") continue;
    std::map<std::pair<std::string, NodeName>, std::vector<PortRef>> groups;
    const auto note = [&](const PortRef& host, const PortRef& far) {
      const NodeSpec* node = fabric.find_node(far.node.str());
      if (node == nullptr || !is_switch(node->platform.value)) return;
      groups[{host.node.str() + "/" + host.adapter, far.node}].push_back(far);
    };
    for (const CableSpec& cable : network.cables) {
      note(cable.a.value, cable.b.value);
      note(cable.b.value, cable.a.value);
    }
    const bool lacp = channel != "static" && network.lag->policy.value == "802.3ad";
    for (auto& [key, ports] : groups)
      world.add_port_channel(std::move(ports), lacp);
  }
}

}  // namespace

std::unique_ptr<Machine> build_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed) {
  auto machine = std::make_unique<Machine>(profile_of(node, host), seed);
  machine->epoch = kEpochMilliseconds;
  machine->state.files.set_time(kEpochMilliseconds);
  install_base_system(*machine);
  insert_cards(*machine, node, host);
  for (const auto& [path, content] : host.files)
    machine->state.files.install(path, content);
  install_kernel_files(*machine);
  return machine;
}

void tell_cards_apart(Machine& machine, std::set<std::uint64_t>& taken) {
  constexpr std::uint64_t kGuidsOfCard = 0x10;
  for (Card& card : machine.state.cards) {
    std::uint64_t guid = card.base_guid;
    while (!taken.insert(guid).second)
      guid += kGuidsOfCard;
    if (guid != card.base_guid) set_base_guid(card, guid);
  }
}

void arm_settings(Machine& machine, const LabHost& host) {
  for (Card& card : machine.state.cards) {
    const auto found = host.adapters.find(card.adapter);
    if (found != host.adapters.end()) apply_settings(card, found->second.next_boot, false);
  }
}

void plug_cables(World& world, const FabricSpec& fabric, const LabSpec& lab) {
  if (lab.cables) {
    for (const LabCable& cable : *lab.cables)
      world.connect(cable.a, cable.b);
  } else {
    for (const auto& [name, network] : fabric.networks) {
      for (const CableSpec& cable : network.cables)
        world.connect(cable.a.value, cable.b.value);
    }
  }
  for (const PortRef& port : lab.unplugged)
    world.unplug(port);
  add_port_channels(world, fabric);
  for (const auto& [name, node] : fabric.nodes) {
    const Result<Guid> guid = Guid::parse(node.node_guid.value);
    if (guid && is_switch(node.platform.value)) world.name_switch(name, guid->bits());
  }
  for (const PortRef& port : lab.dirty)
    world.make_dirty(port);
}

}  // namespace fabric::lab
