// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/evidence/evidence.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/switch_port.hpp"

namespace fabric::verify {

namespace {

const NodeEvidence& nothing_known() {
  static const NodeEvidence nothing{false, "no facts were taken", {}, {}, false, {}};
  return nothing;
}

// The device of port `number` (from 1) of the card at `pci`. mlx4 has both ports behind one PCI
// function and numbers them by dev_port; mlx5 has a function per port.
// Of several there (IPoIB beside the Ethernet that a software HCA sends by) the one of the wanted
// kind, if there is one: only Ethernet has an address of six bytes.
const NetDevice* find_device(
    const std::vector<NetDevice>& devices,
    const PciAddress& pci,
    std::uint32_t number,
    bool infiniband) {
  const auto choose = [&](const auto& is_there) -> const NetDevice* {
    const NetDevice* other = nullptr;
    for (const NetDevice& device : devices) {
      if (!is_there(device)) continue;
      if (device.mac.has_value() != infiniband) return &device;
      if (other == nullptr) other = &device;
    }
    return other;
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

// "Eth1/7", "Ethernet1/7", "swp7" and "1/7" name the same kind of thing: what follows the letters.
std::string_view port_digits(std::string_view text) {
  const std::size_t digit = text.find_first_of("0123456789");
  return digit == std::string_view::npos ? std::string_view{} : text.substr(digit);
}

LldpNeighbour heard(const Neighbour& told) {
  LldpNeighbour neighbour;
  neighbour.local_interface = told.local_port;
  neighbour.protocol = "LLDP";
  neighbour.chassis_name = told.system_name;
  neighbour.chassis_id = told.chassis_id;
  neighbour.port_id = told.port_id;
  neighbour.port_id_type = MacAddress::parse(told.port_id) ? "mac" : "ifname";
  return neighbour;
}

}  // namespace

Evidence::Evidence(const FabricSpec& spec, const discovery::Snapshot& snapshot)
    : spec_{spec}, snapshot_{snapshot} {
  for (const auto& [name, observed] : snapshot.nodes) {
    const auto node = spec.nodes.find(name);
    if (node != spec.nodes.end()) read_node(node->second, observed);
  }
  const std::set<PortRef> infiniband = infiniband_ports(spec);
  for (const auto& [name, node] : spec.nodes)
    index_ports(node, infiniband);
}

void Evidence::read_node(const NodeSpec& node, const discovery::ObservedNode& observed) {
  NodeEvidence evidence;
  const NodeFacts& facts = observed.facts;
  evidence.reached = facts.reachable();
  if (!evidence.reached) {
    evidence.why_not = facts.failure->message;
    nodes_.emplace(node.name, std::move(evidence));
    return;
  }
  evidence.hostname = observed.identity.hostname;
  evidence.devices = facts.parsed_or_none("link-state", parse_link_state);
  if (observed.neighbours) {
    evidence.lldp = true;
    for (const Neighbour& each : *observed.neighbours)
      neighbours_[node.name].push_back(heard(each));
  } else if (const auto* lldp = facts.parsed("lldp", parse_lldp_json)) {
    evidence.lldp = lldp->has_value();
    if (*lldp) {
      neighbours_.emplace(node.name, **lldp);
    } else {
      evidence.why_no_lldp = "its answer is unreadable: " + lldp->error().message;
    }
  } else {
    const auto probe = facts.probes.find("lldp");
    evidence.why_no_lldp = probe == facts.probes.end() ? "lldp was not asked for"
                                                       : last_line(probe->second.standard_error);
  }
  nodes_.emplace(node.name, std::move(evidence));
}

void Evidence::index_ports(const NodeSpec& node, const std::set<PortRef>& infiniband) {
  const std::vector<NetDevice>& devices = this->node(node.name).devices;
  for (const AdapterSpec& adapter : *node.adapters) {
    const std::optional<PciAddress> pci = pci_of(node.name, adapter);
    if (!pci) continue;
    for (std::uint32_t number = 1; number <= adapter.ports.value; ++number) {
      const PortRef port{node.name, adapter.name, std::to_string(number)};
      // What ESXi shows as Ethernet of a port that speaks InfiniBand says nothing of its link.
      if (node.platform.value == Platform::esxi && infiniband.contains(port)) continue;
      const NetDevice* device = find_device(devices, *pci, number, infiniband.contains(port));
      if (device == nullptr) continue;
      devices_.emplace(port, *device);
      cards_.emplace(port, *pci);
      if (device->mac) by_mac_.emplace(*device->mac, port);
    }
  }
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

PortEvidence Evidence::port(const PortRef& port) const {
  PortEvidence evidence;
  const NodeEvidence& node = this->node(port.node);
  const auto device = devices_.find(port);
  if (!node.reached) {
    evidence.why_unknown = fmt::format("{} was not reached: {}", port.node.str(), node.why_not);
  } else if (device == devices_.end()) {
    evidence.why_unknown =
        fmt::format("no network device of {} is known on {}", port.adapter, port.node.str());
  } else {
    evidence.device = device->second;
    evidence.card = cards_.at(port);
    const auto heard = neighbours_.find(port.node);
    if (heard == neighbours_.end()) return evidence;
    for (const LldpNeighbour& neighbour : heard->second) {
      if (neighbour.local_interface == device->second.name)
        evidence.neighbours.push_back(neighbour);
    }
  }
  return evidence;
}

std::vector<LldpNeighbour> Evidence::heard_at_switch(const PortRef& port) const {
  std::vector<LldpNeighbour> found;
  const auto heard = neighbours_.find(port.node);
  if (heard == neighbours_.end()) return found;
  for (const LldpNeighbour& neighbour : heard->second) {
    const auto own = SwitchPort::parse(neighbour.local_interface);
    if (own && own->str() == port.port) found.push_back(neighbour);
  }
  return found;
}

std::optional<PortRef> Evidence::with_mac_of(const LldpNeighbour& neighbour) const {
  if (neighbour.port_id_type != "mac") return std::nullopt;
  const Result<MacAddress> mac = MacAddress::parse(neighbour.port_id);
  const auto found = mac ? by_mac_.find(*mac) : by_mac_.end();
  if (found == by_mac_.end()) return std::nullopt;
  return found->second;
}

bool Evidence::is_known_by_mac(const LldpNeighbour& neighbour) const {
  return with_mac_of(neighbour).has_value();
}

std::optional<PortRef> Evidence::identify(const LldpNeighbour& neighbour) const {
  if (std::optional<PortRef> port = with_mac_of(neighbour)) return port;
  for (const auto& [name, node] : spec_.nodes) {
    if (!calls_itself(neighbour, name)) continue;
    if (is_switch(node.platform.value)) {
      if (neighbour.port_id.starts_with("swp")) {
        if (const auto port = SwitchPort::parse(neighbour.port_id))
          return PortRef{name, "", port->str()};
      }
      const std::string_view digits = port_digits(neighbour.port_id);
      if (!digits.empty()) return PortRef{name, "", std::string{digits}};
      continue;
    }
    for (const auto& [port, device] : devices_) {
      if (port.node == name &&
          (device.name == neighbour.port_id || device.name == neighbour.port_description)) {
        return port;
      }
    }
  }
  return std::nullopt;
}

bool Evidence::calls_itself(const LldpNeighbour& neighbour, const NodeName& node) const {
  const std::string& hostname = this->node(node).hostname;
  return neighbour.chassis_name == node.str() ||
         (!hostname.empty() && neighbour.chassis_name == hostname) ||
         neighbour.chassis_name.starts_with(node.str() + ".");
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

bool leads_to_offline(const FabricSpec& spec, const CableSpec& cable) {
  return is_offline(spec, cable.a.value.node) || is_offline(spec, cable.b.value.node);
}

}  // namespace fabric::verify
