// SPDX-License-Identifier: Apache-2.0
#include "engine/subnet/observed_topology.hpp"

#include <fmt/format.h>

#include "engine/value/lists.hpp"

namespace fabric {

namespace {

constexpr std::int64_t kNoLid = 65535;

void put(Map& map, const char* key, const std::optional<Guid>& guid) {
  if (guid) map.emplace(key, guid->str());
}

void put_hexadecimal(Map& map, const char* key, const std::optional<std::int64_t>& value) {
  if (value) map.emplace(key, fmt::format("0x{:x}", *value));
}

Value peer_value(const IbPeer& peer) {
  Map map{{"type", type_name(peer.type)}, {"port", peer.port}};
  put(map, "node_guid", peer.node_guid);
  put(map, "port_guid", peer.port_guid);
  put(map, "lid", peer.lid);
  put(map, "name", peer.name);
  return map;
}

Value port_value(const IbPort& port) {
  Map map{{"number", port.number}, {"line", static_cast<std::int64_t>(port.line)}};
  put(map, "guid", port.guid);
  put(map, "lid", port.lid);
  put(map, "lmc", port.lmc);
  put(map, "lanes", port.lanes);
  if (port.speed) map.emplace("speed", speed_name(*port.speed));
  if (port.speed && port.lanes)
    map.emplace("rate_gbps", static_cast<double>(*port.lanes) * lane_gbps(*port.speed));
  if (port.state) map.emplace("state", state_name(*port.state));
  if (port.physical) map.emplace("physical_state", state_name(*port.physical));
  if (port.peer) map.emplace("peer", peer_value(*port.peer));
  if (port.peer_not_read) map.emplace("peer_not_read", true);
  put(map, "could_be", port.could_be);
  return map;
}

Value node_value(const IbNode& node) {
  Map map{{"type", type_name(node.type)}, {"line", static_cast<std::int64_t>(node.line)}};
  put(map, "guid", node.guid);
  put(map, "system_image_guid", node.system_image);
  put_hexadecimal(map, "vendor_id", node.vendor_id);
  put_hexadecimal(map, "device_id", node.device_id);
  put(map, "port_count", node.port_count);
  put(map, "name", node.name);
  put(map, "lid", node.lid);
  put(map, "lmc", node.lmc);
  if (node.enhanced_port0) map.emplace("enhanced_port0", *node.enhanced_port0);
  map.emplace("ports", to_list(node.ports, port_value));
  return map;
}

}  // namespace

std::string_view type_name(IbNodeType type) {
  switch (type) {
    case IbNodeType::channel_adapter:
      return "ca";
    case IbNodeType::switch_node:
      return "switch";
    case IbNodeType::router:
      return "router";
    case IbNodeType::unknown:
      break;
  }
  return "unknown";
}

std::optional<std::int64_t> assigned_lid(std::int64_t lid) {
  return lid == 0 || lid == kNoLid ? std::nullopt : std::optional{lid};
}

Value to_value(const std::vector<ToolNote>& notes) {
  List list;
  for (const ToolNote& note : notes)
    list.emplace_back(Map{{"line", static_cast<std::int64_t>(note.line)}, {"text", note.text}});
  return list;
}

Value to_value(const ObservedTopology& topology) {
  Map map{{"nodes", to_list(topology.nodes, node_value)}, {"notes", to_value(topology.notes)}};
  put(map, "from_node", topology.from_node);
  put(map, "from_port", topology.from_port);
  return map;
}

}  // namespace fabric
