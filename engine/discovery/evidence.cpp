// SPDX-License-Identifier: Apache-2.0
#include "engine/discovery/evidence.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "engine/base/parallel.hpp"
#include "engine/base/text.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/provider/uplink.hpp"

namespace fabric::discovery {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::int64_t kMostLanes = 8;  // lanes of a cage

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

// Words before the numbers of a port. "sfp-sfpplus1" and "ether1" are two ports of one switch, so
// others say nothing of what the number counts.
bool is_port_word(std::string_view word) {
  constexpr std::array kWords{
      "", "e", "et", "eth", "port", "port ", "fo", "gi", "hu", "te", "twe", "etp"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end() ||
         word.ends_with("ethernet") || word.ends_with("gige");
}

// "bridge/qsfp28-3-1" is the port of a bridge, "Ethernet3/1" is none.
std::string_view without_bridge(std::string_view text) {
  const std::size_t slash = text.find('/');
  const bool is_port_behind = slash != std::string_view::npos && slash + 1 < text.size() &&
                              kDigits.find(text[slash + 1]) == std::string_view::npos;
  const bool is_module = text.starts_with('l') || text.starts_with('s');  // "L16/U2/20"
  return is_port_behind && !is_module ? text.substr(slash + 1) : text;
}

std::optional<SwitchPort> read(std::string_view written) {
  const std::string lower = to_lower(trim(written));
  std::string_view text = trim(without_bridge(lower));
  if (text.size() > 1 && text.starts_with('"') && text.ends_with('"'))
    text = text.substr(1, text.size() - 2);
  if (auto port = SwitchPort::parse(text)) return port;
  const std::size_t digit = text.find_first_of(kDigits);
  if (digit == std::string_view::npos || !is_port_word(text.substr(0, digit))) return std::nullopt;
  return SwitchPort::parse(text.substr(digit));
}

struct Read {
  std::optional<SwitchPort> port;
  bool by_description = false;
};

// SONiC counts lanes in names and ports in aliases: "Ethernet8" is "etp3".
Read read_neighbour(const Neighbour& neighbour) {
  if (to_lower(trim(neighbour.port_description)).starts_with("etp"))
    if (const auto port = read(neighbour.port_description)) return {port, false};
  const bool names_no_port =
      neighbour.port_id_type == "mac" || neighbour.port_id_type == "ip" ||
      (neighbour.port_id_type == "local" && is_number(trim(neighbour.port_id)));
  if (!names_no_port) {
    if (const auto port = read(neighbour.port_id)) return {port, false};
  }
  return {read(neighbour.port_description), true};
}

bool is_written_so(std::string_view told, std::string_view port) {
  return !port.empty() && to_lower(trim(told)) == to_lower(port);
}

// Compares numbers of which one form has modules, cages or lanes and the other has not: "1/7" and
// "7", "3/1" and "3".
Told compare_numbers(
    const std::vector<std::int64_t>& shorter, const std::vector<std::int64_t>& longer) {
  const bool is_end = std::equal(shorter.rbegin(), shorter.rend(), longer.rbegin());
  const bool is_begin = std::equal(shorter.begin(), shorter.end(), longer.begin());
  if (!is_end && !is_begin) return Told::other;
  const auto first = longer.begin();
  const bool first_modules =
      std::all_of(first, first + std::ssize(longer) - std::ssize(shorter), [](std::int64_t each) {
        return each == 1;
      });
  // No cage has so many lanes, so it counts ports of the first module; and 1/1 is port 1 either
  // way.
  const bool counts_ports = longer.back() > kMostLanes || (is_end && is_begin);
  return is_end && first_modules && counts_ports ? Told::same : Told::unknown;
}

const NodeEvidence& nothing_known() {
  static const NodeEvidence nothing{false, "no facts were taken", {}, {}, false, {}};
  return nothing;
}

// The device of port `number` (from 1) of the card at `pci`. mlx4 has both ports behind one PCI
// function and numbers them by dev_port; mlx5 has a function per port. Of several there (IPoIB
// beside the Ethernet that a software HCA sends by) the one of the wanted kind, if there is one:
// only Ethernet has an address of six bytes. Of several of that kind the one that the kernel shows
// as a port of the card; null if it is none of them or not the only one.
const NetDevice* find_device(
    const std::vector<NetDevice>& devices,
    const PciAddress& pci,
    std::uint32_t number,
    bool infiniband) {
  const auto choose = [&](const auto& is_there) -> const NetDevice* {
    std::map<std::pair<bool, bool>, std::vector<const NetDevice*>> by_fitness;
    for (const NetDevice& device : devices) {
      const Uplink uplink = uplink_by(device.phys_port_name, device.phys_switch_id);
      if (!is_there(device) || uplink == Uplink::no) continue;
      by_fitness[{device.mac.has_value() == infiniband, uplink != Uplink::yes}].push_back(&device);
    }
    if (by_fitness.empty()) return nullptr;
    const std::vector<const NetDevice*>& best = by_fitness.begin()->second;
    // Children of IPoIB come behind their parent.
    return best.size() == 1 || !best.front()->mac ? best.front() : nullptr;
  };
  const NetDevice* by_dev_port = choose(
      [&](const NetDevice& device) { return device.pci == pci && device.dev_port == number - 1; });
  if (by_dev_port != nullptr) return by_dev_port;
  const PciAddress function = pci.with_function(pci.function() + number - 1);
  return choose([&](const NetDevice& device) { return device.pci == function; });
}

std::set<PortRef> infiniband_ports(const FabricSpec& spec) {
  std::set<PortRef> ports;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const PortRef& port : network.member_ports())
      ports.insert(port);
  }
  return ports;
}

// Reads a node's evidence. Returns its neighbours; nullopt if they can't be known.
std::optional<std::vector<Neighbour>> read_node(
    const discovery::ObservedNode& observed, NodeEvidence& evidence) {
  const NodeFacts& facts = observed.facts;
  evidence.reached = facts.reachable();
  if (!evidence.reached) {
    evidence.why_not = facts.failure->message;
    return std::nullopt;
  }
  evidence.hostname = observed.identity.hostname;
  evidence.devices =
      observed.front_ports.empty() ? observed.platform->devices(facts) : observed.front_ports;
  Result<std::vector<Neighbour>> heard =
      observed.neighbours ? *observed.neighbours : observed.platform->neighbours(facts);
  evidence.lldp = heard.has_value();
  if (heard) return *std::move(heard);
  evidence.why_no_lldp = heard.error().message;
  return std::nullopt;
}

}  // namespace

Told compare_port(const Neighbour& neighbour, std::string_view port) {
  const auto& [told, by_description] = read_neighbour(neighbour);
  const std::optional<SwitchPort> wanted = SwitchPort::parse(port);
  const bool names_port = neighbour.port_id_type == "ifname" ||
                          neighbour.port_id_type == "ifalias" || neighbour.port_id_type == "local";
  if (names_port && !is_number(port) && is_written_so(neighbour.port_id, port)) return Told::same;
  if (!told || !wanted) return Told::unknown;
  if (told->str() == wanted->str()) return Told::same;
  // "port 7" of a description may be written by anyone, and SONiC's "Ethernet4" counts lanes, not
  // ports.
  if (by_description && told->numbers.size() == 1) return Told::unknown;
  if (told->form == wanted->form && told->numbers.size() == wanted->numbers.size())
    return Told::other;
  using Form = SwitchPort::Form;
  if (told->form == Form::numbers && wanted->form == Form::numbers) {
    return told->numbers.size() < wanted->numbers.size()
               ? compare_numbers(told->numbers, wanted->numbers)
               : compare_numbers(wanted->numbers, told->numbers);
  }
  // A part of a split port, or a cage: of that port, or of another one.
  return told->numbers.front() == wanted->numbers.front() || told->form == Form::module ||
                 wanted->form == Form::module
             ? Told::unknown
             : Told::other;
}

std::optional<std::string> told_port(const Neighbour& neighbour) {
  const std::optional<SwitchPort> told = read_neighbour(neighbour).port;
  return told ? std::optional{told->str()} : std::nullopt;
}

Evidence::Evidence(const FabricSpec& spec, const Snapshot& snapshot)
    : spec_{spec}, snapshot_{snapshot} {
  read_nodes();
  const std::set<PortRef> infiniband = infiniband_ports(spec);
  for (const auto& [name, node] : spec.nodes)
    index_ports(node, infiniband);
  for (const auto& [name, network] : spec.networks) {
    for (const PortRef& port : network.member_ports()) {
      if (!port.adapter.empty()) continue;
      switch_ports_[port.node].insert(port);
      index_front_port(port);
    }
  }
  index_names();
  for (const auto& [name, neighbours] : neighbours_) {
    for (const Neighbour& each : neighbours)
      chassis_names_.insert(to_lower(trim(each.chassis_name)));
  }
}

void Evidence::read_nodes() {
  struct Read {
    NodeName name;
    const discovery::ObservedNode* observed;
    NodeEvidence evidence{};
    std::optional<std::vector<Neighbour>> heard{};
  };
  std::vector<Read> all;
  for (const auto& [name, observed] : snapshot_.nodes) {
    if (spec_.nodes.contains(name)) all.push_back({name, &observed});
  }
  for_each_index(all.size(), [&](std::size_t index) {
    all[index].heard = read_node(*all[index].observed, all[index].evidence);
  });
  for (Read& each : all) {
    nodes_.emplace(each.name, std::move(each.evidence));
    if (each.heard) neighbours_.emplace(each.name, *std::move(each.heard));
  }
}

void Evidence::index_ports(const NodeSpec& node, const std::set<PortRef>& infiniband) {
  const std::vector<NetDevice>& devices = this->node(node.name).devices;
  for (const AdapterSpec& adapter : *node.adapters) {
    const std::optional<PciAddress> pci = pci_of(node.name, adapter);
    if (!pci) continue;
    for (std::uint32_t number = 1; number <= adapter.ports.value; ++number) {
      const PortRef port{node.name, adapter.name, std::to_string(number)};
      // The Ethernet device that ESXi shows for an InfiniBand port does not show its link.
      if (traits(node.platform.value).infiniband_as_ethernet && infiniband.contains(port)) continue;
      const NetDevice* device = find_device(devices, *pci, number, infiniband.contains(port));
      if (device == nullptr) continue;
      devices_.emplace(port, *device);
      cards_.emplace(port, *pci);
      if (device->mac) by_mac_.emplace(*device->mac, port);
    }
  }
}

void Evidence::index_front_port(const PortRef& port) {
  const std::vector<NetDevice>& devices = this->node(port.node).devices;
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const NetDevice& device) {
    const auto own = SwitchPort::parse(device.name);
    return own && own->str() == port.port;
  });
  if (found != devices.end()) devices_.emplace(port, *found);
}

std::optional<PciAddress> Evidence::pci_of(const NodeName& node, const AdapterSpec& adapter) const {
  std::string text = running_text({node, "adapter", adapter.name}, "pci");
  if (text.empty()) text = adapter.selector.pci.value;
  const Result<PciAddress> address = PciAddress::parse(text);
  if (!address) return std::nullopt;
  return *address;
}

bool Evidence::observed(const ResourceAddress& address) const {
  return snapshot_.find(address) != nullptr;
}

const Reading* Evidence::running(const ResourceAddress& address, std::string_view attribute) const {
  const Observation* observation = snapshot_.find(address);
  if (observation == nullptr) return nullptr;
  const auto found = observation->attributes.find(attribute);
  if (found == observation->attributes.end() || !found->second.running) return nullptr;
  return &*found->second.running;
}

std::string Evidence::running_text(
    const ResourceAddress& address, std::string_view attribute) const {
  const Reading* reading = running(address, attribute);
  const Value* value = reading == nullptr ? nullptr : reading->value();
  return value == nullptr ? std::string{} : to_text(*value);
}

const NodeEvidence& Evidence::node(const NodeName& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nothing_known() : found->second;
}

bool Evidence::lists_devices(const NodeName& node) const {
  return this->node(node).reached && traits(spec_.nodes.at(node).platform.value).linux_host;
}

PortEvidence Evidence::port(const PortRef& port) const {
  PortEvidence evidence;
  const NodeEvidence& node = this->node(port.node);
  const auto device = devices_.find(port);
  if (!node.reached) {
    evidence.why_unknown = fmt::format("{} was not reached: {}", port.node.str(), node.why_not);
  } else if (device == devices_.end()) {
    evidence.why_unknown =
        port.adapter.empty()
            ? fmt::format("{} does not report its port {}", port.node.str(), port.port)
            : fmt::format("no network device of {} is known on {}", port.adapter, port.node.str());
  } else {
    evidence.device = device->second;
    if (const auto card = cards_.find(port); card != cards_.end()) evidence.card = card->second;
    const auto heard = neighbours_.find(port.node);
    if (heard == neighbours_.end()) return evidence;
    for (const Neighbour& neighbour : heard->second) {
      if (neighbour.local_interface == device->second.name)
        evidence.neighbours.push_back(neighbour);
    }
  }
  return evidence;
}

std::vector<Neighbour> Evidence::heard_at_switch(const PortRef& port) const {
  std::vector<Neighbour> found;
  const auto heard = neighbours_.find(port.node);
  if (heard == neighbours_.end()) return found;
  for (const Neighbour& neighbour : heard->second) {
    const auto own = SwitchPort::parse(neighbour.local_interface);
    if (own && own->str() == port.port) found.push_back(neighbour);
  }
  return found;
}

std::optional<PortRef> Evidence::with_mac_of(const Neighbour& neighbour) const {
  if (neighbour.port_id_type != "mac") return std::nullopt;
  const Result<MacAddress> mac = MacAddress::parse(neighbour.port_id);
  const auto found = mac ? by_mac_.find(*mac) : by_mac_.end();
  if (found == by_mac_.end()) return std::nullopt;
  return found->second;
}

bool Evidence::is_known_by_mac(const Neighbour& neighbour) const {
  return with_mac_of(neighbour).has_value();
}

std::vector<const NodeSpec*> Evidence::owners(const Neighbour& neighbour) const {
  std::string said = to_lower(trim(neighbour.chassis_name));
  if (const auto exact = by_name_.find(said); exact != by_name_.end()) return exact->second;
  // "leaf1" of "leaf1.example.org".
  for (std::size_t dot = said.rfind('.'); dot != std::string::npos; dot = said.rfind('.')) {
    said.resize(dot);
    const auto found = own_names_.find(said);
    if (found != own_names_.end()) return found->second;
  }
  return {};
}

void Evidence::index_names() {
  for (const auto& [name, node] : spec_.nodes) {
    const std::string own =
        to_lower(node.system_name.value.empty() ? name.str() : trim(node.system_name.value));
    own_names_[own].push_back(&node);
    by_name_[own].push_back(&node);
    const std::string hostname = to_lower(this->node(name).hostname);
    if (!hostname.empty() && hostname != own) by_name_[hostname].push_back(&node);
  }
}

const NodeSpec* Evidence::owner(const Neighbour& neighbour) const {
  const std::vector<const NodeSpec*> found = owners(neighbour);
  return found.size() == 1 ? found.front() : nullptr;
}

// The host's port by the name of its interface.
std::optional<PortRef> Evidence::host_port(const Neighbour& neighbour, const NodeName& node) const {
  for (const auto& [port, device] : devices_) {
    if (port.node != node) continue;
    const bool is_named = neighbour.port_id_type != "mac" && device.name == neighbour.port_id;
    if (is_named || device.name == neighbour.port_description) return port;
  }
  return std::nullopt;
}

std::optional<PortRef> Evidence::identify(const Neighbour& neighbour) const {
  if (std::optional<PortRef> port = with_mac_of(neighbour)) return port;
  const NodeSpec* node = owner(neighbour);
  if (node == nullptr) return std::nullopt;
  if (!is_switch(node->platform.value)) return host_port(neighbour, node->name);
  const auto ports = switch_ports_.find(node->name);
  for (const PortRef& port : ports == switch_ports_.end() ? std::set<PortRef>{} : ports->second) {
    if (compare_port(neighbour, port.port) == Told::same) return port;
  }
  const std::optional<std::string> port = told_port(neighbour);
  return port ? std::optional{PortRef{node->name, "", *port}} : std::nullopt;
}

// True if some neighbour has the document's name of the node, so that another name is another node.
bool Evidence::is_known_by_name(const NodeSpec& node) const {
  if (!node.system_name.value.empty() || !this->node(node.name).hostname.empty()) return true;
  const std::string own = to_lower(node.name.str());
  const auto with_domain = chassis_names_.lower_bound(own + ".");
  return chassis_names_.contains(own) ||
         (with_domain != chassis_names_.end() && with_domain->starts_with(own + "."));
}

Told Evidence::compare(const Neighbour& neighbour, const PortRef& expected) const {
  if (const std::optional<PortRef> port = with_mac_of(neighbour))
    return *port == expected ? Told::same : Told::other;
  const std::vector<const NodeSpec*> who = owners(neighbour);
  const NodeSpec& wanted = spec_.nodes.at(expected.node);
  if (who.empty()) {
    // A port can be recognised by its MAC or name only where its own node was read.
    const bool is_recognisable =
        expected.adapter.empty() ? is_known_by_name(wanted) : devices_.contains(expected);
    return is_recognisable ? Told::other : Told::unknown;
  }
  const bool may_be = std::find(who.begin(), who.end(), &wanted) != who.end();
  if (!may_be) return Told::other;
  if (who.size() > 1) return Told::unknown;
  if (expected.adapter.empty()) return compare_port(neighbour, expected.port);
  const std::optional<PortRef> port = host_port(neighbour, expected.node);
  if (!port) return Told::unknown;
  return *port == expected ? Told::same : Told::other;
}

std::string Evidence::firmware(const NodeName& node, const std::string& adapter) const {
  return adapter_text(node, adapter, "firmware");
}

std::string Evidence::adapter_text(
    const NodeName& node, const std::string& adapter, std::string_view attribute) const {
  return running_text({node, "adapter", adapter}, attribute);
}

std::string Evidence::setting(
    const NodeName& node, const std::string& adapter, std::string_view name) const {
  return running_text({node, "settings", adapter}, name);
}

bool is_absent(const FabricSpec& spec, const NodeName& node) {
  const auto found = spec.nodes.find(node);
  return found != spec.nodes.end() && found->second.state.value == NodeState::absent;
}

bool leads_to_offline(const FabricSpec& spec, const CableSpec& cable) {
  const auto is_out = [&spec](const PortRef& port) {
    return is_offline(spec, port.node) || (!port.adapter.empty() && is_absent(spec, port.node));
  };
  return is_out(cable.a.value) || is_out(cable.b.value);
}

}  // namespace fabric::discovery
