// SPDX-License-Identifier: Apache-2.0
// The views of all subnets together: nodes by GUID, and which port is plugged into which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/verify/cables/wire_view.hpp"

namespace fabric::verify {

enum class Sight : std::uint8_t {
  unseen,   // no data: the port was not read, or the asked node gave no answer
  no_link,  // the port was looked at and has no link
  linked,
};

struct WirePort {
  Sight sight = Sight::unseen;
  std::size_t peer_node = 0;  // index in WirePorts::nodes(); with `linked` only
  std::int64_t peer_port = 0;
  std::optional<std::int64_t> lanes;
  std::optional<IbSpeed> speed;
  std::string could_be;
  std::string doubt;  // why a port without link may have one all the same; ""
};

struct WireNode {
  IbNodeType type = IbNodeType::unknown;
  Guid guid{0};  // the node GUID, or a port GUID where the text has no other
  std::optional<Guid> system_image;
  std::optional<std::int64_t> device_id;
  std::string name;
  std::int64_t port_count = 0;  // 0: unknown
  bool described = false;       // the text describes it, not only as a peer of another node
  std::vector<WirePort> ports;  // by port number; entry 0 is never used
};

struct WirePlace {
  std::size_t node = 0;
  std::int64_t port = 0;
  friend auto operator<=>(const WirePlace&, const WirePlace&) = default;
};

// True for the SHARP node inside a switch: it is no host, and no cable leads there.
bool is_aggregation_node(const WireNode& node);

class WirePorts {
 public:
  explicit WirePorts(const std::vector<WireView>& views);

  const std::vector<WireNode>& nodes() const { return nodes_; }
  // A port without data is `unseen`, or `no_link` on a switch whose other ports were reported.
  WirePort port(const WirePlace& place) const;
  // Each link once, from the first of its ends that sees it.
  std::vector<std::pair<WirePlace, WirePlace>> links() const;
  std::optional<std::size_t> node_of(Guid node_guid) const;
  std::optional<WirePlace> place_of(Guid port_guid) const;      // a port of a channel adapter
  std::optional<Guid> port_guid(const WirePlace& place) const;  // nullopt: it has none, or several
  // Ports of channel adapters that one look at the subnet shows plugged into several places, and
  // those places: adapters that share a GUID are one adapter to every tool.
  const std::map<WirePlace, std::set<WirePlace>>& shared() const { return shared_; }
  // True if the port's own node says that the port has no link.
  bool is_dark(Guid port_guid) const { return dark_.contains(port_guid.bits()); }

 private:
  struct Reader;

  std::vector<WireNode> nodes_;
  std::unordered_map<std::uint64_t, std::size_t> by_guid_;
  std::unordered_map<std::uint64_t, WirePlace> by_port_guid_;
  std::unordered_set<std::uint64_t> dark_;
  std::map<WirePlace, std::set<WirePlace>> shared_;
};

}  // namespace fabric::verify
