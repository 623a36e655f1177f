// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/wire_ports.hpp"

#include <algorithm>

#include "engine/subnet/node_description.hpp"

namespace fabric::verify {

// Reads one view at a time: LIDs mean something within one subnet only.
struct WirePorts::Reader {
  WirePorts& all;
  const WireView& view;
  std::unordered_map<std::int64_t, std::size_t> by_lid{};
  // Into what each port of an adapter is plugged, by what stands at either end.
  std::map<WirePlace, std::set<WirePlace>> plugged{};

  std::size_t node(Guid guid) {
    const auto [found, is_new] = all.by_guid_.emplace(guid.bits(), all.nodes_.size());
    if (is_new) all.nodes_.emplace_back().guid = guid;
    return found->second;
  }

  // `iblinkinfo` by node prints no GUID of a switch's peer, `iblinkinfo -l` none but those of
  // ports.
  std::optional<std::size_t> index_of(const IbNode& node) {
    if (node.guid) return this->node(*node.guid);
    if (node.ports.empty() || !node.ports.front().guid) return std::nullopt;
    // Another view may have shown whose port that is.
    const auto known = all.by_port_guid_.find(node.ports.front().guid->bits());
    return known == all.by_port_guid_.end() ? this->node(*node.ports.front().guid)
                                            : known->second.node;
  }

  void describe(const IbNode& seen) {
    const std::optional<std::size_t> index = index_of(seen);
    if (!index) return;
    WireNode& node = all.nodes_[*index];
    node.described = true;
    if (seen.type != IbNodeType::unknown) node.type = seen.type;
    if (seen.system_image) node.system_image = seen.system_image;
    if (seen.device_id) node.device_id = seen.device_id;
    if (!seen.name.empty()) node.name = seen.name;
    node.port_count = std::max(node.port_count, seen.port_count.value_or(0));
    const auto count = static_cast<std::size_t>(seen.port_count.value_or(0));
    if (node.ports.size() <= count) node.ports.resize(count + 1);
    if (seen.lid) by_lid.emplace(*seen.lid, *index);
    const bool is_switch = seen.type == IbNodeType::switch_node;
    for (const IbPort& port : seen.ports) {
      if (port.lid) by_lid.emplace(*port.lid, *index);
      if (port.guid && !is_switch)
        all.by_port_guid_.emplace(port.guid->bits(), WirePlace{*index, port.number});
    }
    // A switch answers for every port that it has, a channel adapter only for the port that the
    // question came in by.
    if (is_switch) {
      for (WirePort& port : node.ports)
        mark_dark(port, view.topology->notes);
    }
  }

  static void mark_dark(WirePort& port, const std::vector<ToolNote>& notes) {
    if (port.sight != Sight::unseen) return;
    port.sight = Sight::no_link;
    if (!notes.empty()) port.doubt = notes.front().text;
  }

  std::optional<std::size_t> peer_of(const IbPeer& peer) {
    if (peer.node_guid) return named(node(*peer.node_guid), peer);
    if (peer.port_guid) {
      const auto place = all.by_port_guid_.find(peer.port_guid->bits());
      if (place != all.by_port_guid_.end()) return place->second.node;
      return named(node(*peer.port_guid), peer);
    }
    const auto found = peer.lid ? by_lid.find(*peer.lid) : by_lid.end();
    if (found == by_lid.end()) return std::nullopt;
    return found->second;
  }

  std::size_t named(std::size_t index, const IbPeer& peer) {
    WireNode& node = all.nodes_[index];
    if (node.name.empty()) node.name = peer.name;
    if (node.type == IbNodeType::unknown) node.type = peer.type;
    if (peer.port_guid && node.type == IbNodeType::channel_adapter)
      all.by_port_guid_.emplace(peer.port_guid->bits(), WirePlace{index, peer.port});
    return index;
  }

  bool is_adapter(std::size_t index) const {
    return all.nodes_[index].type == IbNodeType::channel_adapter;
  }

  void plug(const WirePlace& here, const WirePlace& there) {
    if (is_adapter(here.node)) plugged[here].insert(there);
    if (is_adapter(there.node)) plugged[there].insert(here);
  }

  void connect(const IbNode& seen) {
    const std::optional<std::size_t> index = index_of(seen);
    if (!index) return;
    for (const IbPort& port : seen.ports) {
      const std::optional<std::size_t> peer = port.peer ? peer_of(*port.peer) : std::nullopt;
      std::vector<WirePort>& ports = all.nodes_[*index].ports;
      const auto number = static_cast<std::size_t>(port.number);
      if (ports.size() <= number) ports.resize(number + 1);
      WirePort& known = ports[number];
      if (peer) plug({*index, port.number}, {*peer, port.peer->port});
      // A link that another view saw stays.
      if (known.sight == Sight::linked) continue;
      if (peer) {
        known = {Sight::linked, *peer, port.peer->port, port.lanes, port.speed, port.could_be, {}};
      } else if (port.peer || port.peer_not_read || port.physical == IbPhysicalState::link_up) {
        known.sight = Sight::unseen;
      } else if (port.physical) {
        // The port itself says so, whatever else the sweep has missed.
        known.sight = Sight::no_link;
        known.doubt.clear();
      } else {
        mark_dark(known, view.topology->notes);
      }
    }
  }
};

bool is_aggregation_node(const WireNode& node) {
  constexpr std::int64_t kDeviceId = 0xcf09;
  return node.device_id == kDeviceId || fabric::is_aggregation_node(node.name);
}

WirePorts::WirePorts(const std::vector<WireView>& views) {
  std::vector<Reader> readers;
  for (const WireView& view : views) {
    for (const Guid& guid : view.dark)
      dark_.insert(guid.bits());
    if (view.topology) readers.push_back({*this, view});
  }
  // Lines with GUIDs of nodes say whose the GUIDs of ports are, in whichever order they come.
  for (const bool by_node : {true, false}) {
    for (Reader& reader : readers) {
      for (const IbNode& node : reader.view.topology->nodes) {
        if (node.guid.has_value() == by_node) reader.describe(node);
      }
    }
  }
  for (Reader& reader : readers) {
    for (const IbNode& node : reader.view.topology->nodes)
      reader.connect(node);
    for (const auto& [port, places] : reader.plugged) {
      if (places.size() > 1) shared_[port].insert(places.begin(), places.end());
    }
  }
}

WirePort WirePorts::port(const WirePlace& place) const {
  const std::vector<WirePort>& ports = nodes_[place.node].ports;
  const auto number = static_cast<std::size_t>(place.port);
  return number < ports.size() ? ports[number] : WirePort{};
}

std::vector<std::pair<WirePlace, WirePlace>> WirePorts::links() const {
  std::vector<std::pair<WirePlace, WirePlace>> links;
  for (std::size_t index = 0; index < nodes_.size(); ++index) {
    for (std::size_t number = 1; number < nodes_[index].ports.size(); ++number) {
      const WirePort& seen = nodes_[index].ports[number];
      if (seen.sight != Sight::linked) continue;
      const WirePlace here{index, static_cast<std::int64_t>(number)};
      const WirePlace there{seen.peer_node, seen.peer_port};
      if (there < here && port(there).sight == Sight::linked) continue;
      links.emplace_back(here, there);
    }
  }
  return links;
}

std::optional<std::size_t> WirePorts::node_of(Guid node_guid) const {
  const auto found = by_guid_.find(node_guid.bits());
  if (found == by_guid_.end()) return std::nullopt;
  return found->second;
}

std::optional<WirePlace> WirePorts::place_of(Guid port_guid) const {
  const auto found = by_port_guid_.find(port_guid.bits());
  if (found == by_port_guid_.end()) return std::nullopt;
  return found->second;
}

std::optional<Guid> WirePorts::port_guid(const WirePlace& place) const {
  std::optional<Guid> guid;
  for (const auto& [bits, at] : by_port_guid_) {
    if (at != place) continue;
    if (guid) return std::nullopt;
    guid = Guid{bits};
  }
  return guid;
}

}  // namespace fabric::verify
