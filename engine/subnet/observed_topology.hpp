// SPDX-License-Identifier: Apache-2.0
// ObservedTopology: an InfiniBand subnet as a port saw it, from the text of ibnetdiscover or
// iblinkinfo, or from libibnetdisc: each end of each link as it was read. Callers check that the
// two ends agree, and that a peer is described at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/subnet/link.hpp"
#include "engine/value/value.hpp"

namespace fabric {

// Messages that infiniband-diags print beside their result. A warning about a MAD without an answer
// means that the result has holes, so messages are kept.
struct ToolNote {
  std::size_t line = 1;
  std::string text;
};

// [{"line", "text"}]
Value to_value(const std::vector<ToolNote>& notes);

enum class IbNodeType : std::uint8_t { unknown, channel_adapter, switch_node, router };

// "unknown", "ca", "switch", "router".
std::string_view type_name(IbNodeType type);

// The other end of a port's cable, as the port reports it.
struct IbPeer {
  IbNodeType type = IbNodeType::unknown;
  std::optional<Guid> node_guid;
  // For a switch the GUID of its port 0, which all its ports have.
  std::optional<Guid> port_guid;
  std::int64_t port = 0;            // 1 to 254
  std::optional<std::int64_t> lid;  // as IbPort::lid; of a switch that of its port 0
  std::string name;                 // node description, blanks at both ends removed; "" = unknown
};

struct IbPort {
  std::int64_t number = 0;          // 1 to 254
  std::optional<Guid> guid;         // as IbPeer::port_guid
  std::optional<std::int64_t> lid;  // base LID, 1 to 49151; nullopt: none assigned, or unknown
  std::optional<std::int64_t> lmc;
  std::optional<std::int64_t> lanes;  // active link width: 1, 2, 4, 8, 12
  std::optional<IbSpeed> speed;       // active, of one lane
  std::optional<IbPortState> state;   // iblinkinfo tells it, ibnetdiscover does not
  std::optional<IbPhysicalState> physical;
  std::optional<IbPeer> peer;  // nullopt: no link, unless:
  // The link is up, but the tool did not reach the other end: no data, not "no link".
  bool peer_not_read = false;
  std::string could_be;  // "12X 10.0 Gbps": both ends support it, the link is degraded; ""
  std::size_t line = 1;
};

struct IbNode {
  IbNodeType type = IbNodeType::unknown;
  std::optional<Guid> guid;          // node GUID; nullopt where only port GUIDs are printed
  std::optional<Guid> system_image;  // the same for all that is one box
  std::optional<std::int64_t> vendor_id, device_id;
  std::optional<std::int64_t> port_count;
  std::string name;                 // node description, as IbPeer::name
  std::optional<std::int64_t> lid;  // of a switch: its port 0
  std::optional<std::int64_t> lmc;
  std::optional<bool> enhanced_port0;
  std::vector<IbPort> ports;  // in the order of the text
  std::size_t line = 1;
};

struct ObservedTopology {
  std::vector<IbNode> nodes;  // in the order of the text
  // The node and the port where the tool ran.
  std::optional<Guid> from_node, from_port;
  // Warnings and lines that are no part of the format: with any, the subnet may be incomplete.
  std::vector<ToolNote> notes;
};

// Nullopt for 0 and 65535, which tools print for a port without a LID.
std::optional<std::int64_t> assigned_lid(std::int64_t lid);

// {"nodes": [{"type", "guid", ..., "ports": [{"number", "peer": {...}, ...}]}], "notes": [...]};
// unknown values are left out. "rate_gbps" of a port is its lanes times the rate of one.
Value to_value(const ObservedTopology& topology);

}  // namespace fabric
