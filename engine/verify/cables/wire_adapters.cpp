// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/wire_adapters.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::verify {

namespace {

// "ibp11s0f0" of 0000:0b:00.0, by the naming scheme of systemd: decimal, and without the function
// where the card has but one.
std::vector<std::string> slot_names(const PciAddress& pci) {
  std::vector<std::string> names;
  const std::string domain = pci.domain() == 0 ? "" : fmt::format("P{}", pci.domain());
  const std::string slot = to_lower(fmt::format("ib{}p{}s{}", domain, pci.bus(), pci.device()));
  names.push_back(fmt::format("{}f{}", slot, pci.function()));
  if (pci.function() == 0) names.push_back(slot);
  return names;
}

// The names that a port of the document may have in a subnet, in lower case: its interface, and the
// names made of its PCI address.
std::set<std::string> device_names(const AdapterSpec& adapter, std::uint32_t number) {
  std::set<std::string> names;
  const auto name = adapter.names.find(number);
  if (name != adapter.names.end()) names.insert(to_lower(name->second.value));
  if (const auto pci = PciAddress::parse(adapter.selector.pci.value)) {
    const std::uint32_t function = pci->function() + number - 1;
    for (std::string& slot : slot_names(pci->with_function(function)))
      names.insert(std::move(slot));
  }
  return names;
}

}  // namespace

WireAdapters::WireAdapters(
    const FabricSpec& spec,
    const WireEvidence& evidence,
    const WirePorts& ports,
    const WireSwitches& switches)
    : spec_{spec}, evidence_{evidence}, ports_{ports}, switches_{switches} {
  read_hosts();
  read_descriptions();
  for (auto& [port, wanted] : wanted_)
    take_by_guid(wanted);
  for (auto& [name, host] : hosts_)
    take_by_name(host);
  while (take_by_cable() || take_what_is_left() || take_unnamed()) {
  }
  for (auto& [port, wanted] : wanted_) {
    if (wanted.place.at || !wanted.place.why_not.empty()) continue;
    const bool is_there = !hosts_.at(port.node).adapters.empty();
    wanted.place.lack = is_there ? WireLack::adapter : WireLack::node;
    wanted.place.why_not = why_not(wanted);
  }
}

void WireAdapters::read_hosts() {
  for (const auto& [name, node] : spec_.nodes) {
    if (is_switch(node.platform.value)) continue;
    Host& host = hosts_[name];
    for (const AdapterSpec& adapter : *node.adapters) {
      for (std::uint32_t number = 1; number <= adapter.ports.value; ++number) {
        const PortRef port{name, adapter.name, std::to_string(number)};
        const auto wanted = wanted_.emplace(
            port,
            Wanted{port, &node, &adapter, device_names(adapter, number), {}, false, false, {}});
        host.wanted.push_back(&wanted.first->second);
      }
    }
  }
  for (const auto& [name, network] : spec_.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const PortRef& port : network.member_ports()) {
      const auto found = wanted_.find(port);
      if (found != wanted_.end()) found->second.member = true;
    }
    for (const CableSpec& cable : network.cables) {
      for (const auto& [here, there] :
           {std::pair{&cable.a.value, &cable.b.value}, {&cable.b.value, &cable.a.value}}) {
        const auto found = wanted_.find(*here);
        if (found != wanted_.end()) found->second.peers.push_back(*there);
      }
    }
  }
}

// The node of each adapter. Where two nodes of the document differ only by their domain, only a
// description with the domain names one of them.
void WireAdapters::read_descriptions() {
  std::map<std::string, std::vector<const NodeSpec*>> labels;
  for (const auto& [name, host] : hosts_)
    labels[host_label(name.str())].push_back(&spec_.nodes.at(name));
  const std::vector<WireNode>& nodes = ports_.nodes();
  described_.resize(nodes.size());
  host_of_.resize(nodes.size());
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    const WireNode& node = nodes[index];
    const bool is_adapter =
        node.type == IbNodeType::channel_adapter || node.type == IbNodeType::unknown;
    if (!is_adapter || is_aggregation_node(node)) continue;
    if (node.system_image) cards_[node.system_image->bits()].push_back(index);
    AdapterDescription& described = described_[index] = describe_adapter(node.name);
    if (described.host.empty()) continue;
    const std::string label = host_label(described.host);
    called_.insert(label);
    const auto found = labels.find(label);
    if (found == labels.end()) continue;
    for (const NodeSpec* each : found->second) {
      if (found->second.size() == 1 || to_lower(each->name.str()) == described.host)
        host_of_[index] = each;
    }
  }
  take_along_cards();
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    if (host_of_[index] != nullptr) hosts_.at(host_of_[index]->name).adapters.push_back(index);
  }
}

// Adapters that share a card with a named one are in the same host.
void WireAdapters::take_along_cards() {
  for (const auto& [image, indexes] : cards_) {
    const auto known = std::ranges::find_if(
        indexes, [&](std::size_t index) { return host_of_[index] != nullptr; });
    if (known == indexes.end()) continue;
    for (const std::size_t index : indexes) {
      if (described_[index].host.empty()) host_of_[index] = host_of_[*known];
    }
  }
}

void WireAdapters::take(Wanted& wanted, const WirePlace& place) {
  wanted.place = {place, {}, {}, {}};
  taken_.emplace(place, wanted.port);
  if (host_of_[place.node] == wanted.node) return;
  // The adapter belongs to this host, whatever name the subnet gives it.
  host_of_[place.node] = wanted.node;
  hosts_.at(wanted.port.node).adapters.push_back(place.node);
}

// Port `number` of the card whose first port is at the adapter `index`. A card with mlx5 has one
// adapter a port, which share its system image.
std::optional<WirePlace> WireAdapters::port_of_card(
    std::size_t index, const AdapterSpec& adapter, std::int64_t number) const {
  const WireNode& node = ports_.nodes()[index];
  if (number == 1) return WirePlace{index, 1};
  if (static_cast<std::size_t>(number) < node.ports.size()) return WirePlace{index, number};
  const auto card = node.system_image ? cards_.find(node.system_image->bits()) : cards_.end();
  const bool is_whole =
      card != cards_.end() && card->second.size() == 2 && number == 2 && adapter.ports.value == 2;
  if (!is_whole) return std::nullopt;
  const std::size_t other =
      card->second.front() == index ? card->second.back() : card->second.front();
  return WirePlace{other, 1};
}

// The port GUID that a node GUID means, for looks at the subnet that show only port GUIDs. On mlx4
// they count on from that of the node, on mlx5 the first is that of the node (E-mlx5-port-guid).
Guid WireAdapters::port_guid_of(const Wanted& wanted, Guid node_guid) {
  const HardwareModel* hardware = wanted.adapter->hardware;
  const bool counts_on = hardware != nullptr && hardware->driver == "mlx4_core";
  const auto number = static_cast<std::uint64_t>(wanted.port.number());
  return Guid{node_guid.bits() + number - (counts_on ? 0 : 1)};
}

// The GUIDs of one card count up with its ports (E-mlx5-port-guid).
bool WireAdapters::is_second_of_card(std::size_t index, const AdapterSpec& adapter) const {
  const std::vector<WireNode>& nodes = ports_.nodes();
  const WireNode& node = nodes[index];
  const auto card = node.system_image ? cards_.find(node.system_image->bits()) : cards_.end();
  if (card == cards_.end() || card->second.size() != 2 || adapter.ports.value != 2) return false;
  const std::size_t other =
      card->second.front() == index ? card->second.back() : card->second.front();
  return nodes[other].guid.bits() + 1 == node.guid.bits();
}

void WireAdapters::take_by_guid(Wanted& wanted) {
  const auto known = evidence_.port_guids.find(wanted.port);
  if (known != evidence_.port_guids.end()) {
    wanted.by_guid = true;
    if (const auto place = ports_.place_of(known->second)) {
      take(wanted, *place);
    } else {
      wanted.place.why_not =
          fmt::format("{} ({}) was not seen in the subnet", wanted.port.str(), known->second.str());
      wanted.place.lack = WireLack::node;
    }
    wanted.place.port_guid = known->second;
    return;
  }
  const Result<Guid> guid = Guid::parse(wanted.adapter->selector.node_guid.value);
  if (!guid) return;
  const auto index = ports_.node_of(*guid);
  if (index && is_second_of_card(*index, *wanted.adapter)) {
    wanted.by_guid = true;
    wanted.place.why_not = fmt::format(
        "node_guid {} of {}/{} is the second port of its card",
        guid->str(),
        wanted.port.node.str(),
        wanted.adapter->name);
    wanted.place.lack = WireLack::adapter;
    return;
  }
  auto place = index ? port_of_card(*index, *wanted.adapter, wanted.port.number()) : std::nullopt;
  if (!index) place = ports_.place_of(port_guid_of(wanted, *guid));
  // The second port of a card can have another GUID, which the document does not give.
  wanted.by_guid = place || wanted.port.number() == 1;
  if (place && is_free(*place)) return take(wanted, *place);
  if (!wanted.by_guid) return;
  wanted.place.why_not = fmt::format("{} was not seen in the subnet", wanted.port.str());
  wanted.place.lack = WireLack::node;
}

bool WireAdapters::is_free(const WirePlace& place) const {
  return !taken_.contains(place);
}

// The only adapter of the host whose node description has the document's name of the port, its
// interface or its adapter.
std::optional<WirePlace> WireAdapters::named_place(const Host& host, const Wanted& wanted) const {
  std::vector<WirePlace> found;
  const std::string name = to_lower(wanted.adapter->name);
  for (const std::size_t index : host.adapters) {
    const std::string& device = described_[index].device;
    if (device.empty()) continue;
    if (wanted.names.contains(device)) {
      const std::int64_t number = wanted.port.number();
      const bool has_port = static_cast<std::size_t>(number) < ports_.nodes()[index].ports.size();
      found.push_back({index, has_port ? number : 1});
    } else if (device == name) {
      if (const auto place = port_of_card(index, *wanted.adapter, wanted.port.number()))
        found.push_back(*place);
    }
  }
  return found.size() == 1 && is_free(found.front()) ? std::optional{found.front()} : std::nullopt;
}

void WireAdapters::take_by_name(Host& host) {
  const bool one_each =
      host.adapters.size() == 1 && std::ranges::all_of(host.wanted, [&](const Wanted* each) {
        return each->adapter == host.wanted.front()->adapter;
      });
  for (Wanted* wanted : host.wanted) {
    if (wanted->by_guid || wanted->place.at) continue;
    const auto place = named_place(host, *wanted);
    if (place) {
      take(*wanted, *place);
    } else if (one_each && ports_.nodes()[host.adapters.front()].ports.size() > 2) {
      const WirePlace same{host.adapters.front(), wanted->port.number()};
      if (is_free(same) && !contradicts(*wanted, same)) take(*wanted, same);
    }
  }
}

// True if the adapter's name is another one of the same scheme than the document's, or belongs to
// another port of an adapter with several.
bool WireAdapters::contradicts(const Wanted& wanted, const WirePlace& place) const {
  const bool has_several = ports_.nodes()[place.node].ports.size() > 2;
  if (has_several && place.port != wanted.port.number()) return true;
  const std::string& device = described_[place.node].device;
  const DeviceScheme scheme = device_scheme(device);
  if (scheme == DeviceScheme::other) return false;
  std::set<std::string> names = wanted.names;
  // The name of a card with two ports is that of the first.
  if (wanted.port.number() == 1) names.insert(to_lower(wanted.adapter->name));
  const bool is_named = std::ranges::any_of(
      names, [&](const std::string& name) { return device_scheme(name) == scheme; });
  return is_named && !names.contains(device);
}

// The place that the declared other end is cabled to.
std::optional<WirePlace> WireAdapters::other_end(const Wanted& wanted) const {
  for (const PortRef& peer : wanted.peers) {
    const Place there = peer.adapter.empty() ? switches_.place(peer) : place(peer);
    if (!there.at) continue;
    const WirePort seen = ports_.port(*there.at);
    if (seen.sight == Sight::linked) return WirePlace{seen.peer_node, seen.peer_port};
  }
  return std::nullopt;
}

// The declared other end was looked at and has no link, so the cable is known to be missing.
bool WireAdapters::is_other_end_dark(const Wanted& wanted) const {
  return std::ranges::any_of(wanted.peers, [&](const PortRef& peer) {
    const Place there = peer.adapter.empty() ? switches_.place(peer) : place(peer);
    return there.at && ports_.port(*there.at).sight == Sight::no_link;
  });
}

bool WireAdapters::take_by_cable() {
  bool some = false;
  for (auto& [port, wanted] : wanted_) {
    if (wanted.by_guid || wanted.place.at || !wanted.member) continue;
    const auto there = other_end(wanted);
    if (!there || !is_free(*there) || host_of_[there->node] != wanted.node) continue;
    if (contradicts(wanted, *there)) continue;
    take(wanted, *there);
    some = true;
  }
  return some;
}

std::vector<WirePlace> WireAdapters::free_places(const Host& host) const {
  std::vector<WirePlace> places;
  for (const std::size_t index : host.adapters) {
    const std::vector<WirePort>& ports = ports_.nodes()[index].ports;
    for (std::size_t number = 1; number < ports.size(); ++number) {
      const WirePlace place{index, static_cast<std::int64_t>(number)};
      if (ports[number].sight == Sight::linked && is_free(place)) places.push_back(place);
    }
  }
  return places;
}

// If a host has one port and one adapter left, they belong together.
bool WireAdapters::take_what_is_left() {
  bool some = false;
  for (auto& [name, host] : hosts_) {
    std::vector<Wanted*> left;
    std::size_t members = 0;
    for (Wanted* wanted : host.wanted) {
      if (!wanted->member) continue;
      ++members;
      if (!wanted->by_guid && !wanted->place.at) left.push_back(wanted);
    }
    if (left.size() != 1) continue;
    Wanted& wanted = *left.front();
    const std::vector<WirePlace> places = free_places(host);
    if (places.size() != 1 || contradicts(wanted, places.front())) continue;
    // A host may have more adapters than the document: one of those may be what is left, where the
    // port's own place in the cabling shows no link.
    if (members > 1 && is_other_end_dark(wanted)) continue;
    take(wanted, places.front());
    some = true;
  }
  return some;
}

// An adapter that names no host stands at the place of a port that was not found otherwise: it is
// that port if it can be no other. A port whose cable is missing is reported as missing.
bool WireAdapters::take_unnamed() {
  std::vector<Wanted*> left;
  for (auto& [port, wanted] : wanted_) {
    const bool is_open = wanted.member && !wanted.by_guid && !wanted.place.at;
    if (is_open && !is_offline(*wanted.node) && !is_other_end_dark(wanted)) left.push_back(&wanted);
  }
  for (Wanted* wanted : left) {
    const auto there = other_end(*wanted);
    if (!there || ports_.nodes()[there->node].type != IbNodeType::channel_adapter) continue;
    if (!described_[there->node].host.empty() || !may_be(*there, wanted->port)) continue;
    // If the adapter is not of the document's model for this port, models prove nothing.
    const bool by_model = has_model(*wanted, there->node);
    const bool is_other = std::ranges::any_of(left, [&](const Wanted* other) {
      return other != wanted && may_be(*there, other->port) &&
             (!by_model || has_model(*other, there->node));
    });
    if (is_other) continue;
    take(*wanted, *there);
    return true;
  }
  return false;
}

// Compares PCI device ids, if both are known. A virtual function has another.
bool WireAdapters::has_model(const Wanted& wanted, std::size_t index) const {
  const auto& device_id = ports_.nodes()[index].device_id;
  if (!device_id || wanted.adapter->hardware == nullptr) return true;
  const std::vector<std::uint32_t>& ids = wanted.adapter->hardware->device_ids;
  return std::ranges::any_of(ids, [&](std::uint32_t id) { return id == *device_id; });
}

bool WireAdapters::may_be(const WirePlace& place, const PortRef& port) const {
  const auto found = wanted_.find(port);
  if (found == wanted_.end()) return true;
  const Wanted& wanted = found->second;
  const WireNode& node = ports_.nodes()[place.node];
  const bool is_adapter =
      node.type == IbNodeType::channel_adapter || node.type == IbNodeType::unknown;
  // A switch is the right one if the subnet gives it the name of the document.
  if (!is_adapter) return host_label(node.name) == host_label(port.node.str());
  // A GUID of the card's other port leaves open which port is meant.
  const bool is_elsewhere = wanted.by_guid && wanted.place.lack != WireLack::adapter;
  if (is_elsewhere || is_aggregation_node(node) || !is_free(place)) return false;
  if (host_of_[place.node] != nullptr)
    return host_of_[place.node] == wanted.node && !contradicts(wanted, place);
  // A name that is of no host of the document does not contradict.
  return described_[place.node].host.empty() || !called_.contains(host_label(port.node.str()));
}

Place WireAdapters::place(const PortRef& port) const {
  const auto found = wanted_.find(port);
  if (found == wanted_.end()) return {{}, {}, port.str() + " is unknown", WireLack::node};
  return found->second.place;
}

std::optional<PortRef> WireAdapters::port_at(const WirePlace& place) const {
  const auto found = taken_.find(place);
  return found == taken_.end() ? std::nullopt : std::optional{found->second};
}

const NodeSpec* WireAdapters::host_of(std::size_t index) const {
  return host_of_[index];
}

std::string WireAdapters::why_not(const Wanted& wanted) const {
  const NodeName& name = wanted.port.node;
  const std::size_t count = hosts_.at(name).adapters.size();
  if (count == 0) return fmt::format("no adapter of the subnet has the name {}", name.str());
  return fmt::format(
      "{} of the subnet's adapters {} {}, and none of them is known to be {}",
      count,
      count == 1 ? "calls itself" : "call themselves",
      name.str(),
      wanted.port.str());
}

}  // namespace fabric::verify
