// SPDX-License-Identifier: Apache-2.0
// `ip -j -d link show` and `ip -j -d addr show`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct IpAddressEntry {
  std::string family;    // "inet", "inet6"
  std::string address;   // "10.30.0.1/24"
  std::string scope;     // "global", "link", "host"
  bool dynamic = false;  // by DHCP or router advertisement
};

// The host's settings for a virtual function of a port.
struct IpFunction {
  std::int64_t number = 0;
  std::string address;    // the address that it must use; "" = its own choice
  std::int64_t vlan = 0;  // 0 = none
};

struct IpLink {
  std::string name;
  std::string link_type;          // "ether", "infiniband", "loopback"
  std::string operstate;          // "UP", "DOWN", "LOWERLAYERDOWN"
  std::string address;            // MAC, or the 20 bytes of IPoIB
  std::string permanent_address;  // only where it differs from `address`; "" else
  std::string master;             // bond or bridge; ""
  std::string kind;               // linkinfo.info_kind: "bond", "vlan", "ipoib"; "" for hardware
  std::string slave_kind;         // of its master: "bond", "bridge", "vrf"; ""
  std::string below;              // the interface that a VLAN or child lies on; ""
  std::string qdisc;              // the queueing of sent packets: "mq", "htb"; ""
  bool has_xdp = false;           // an XDP program handles received packets
  Map info;                       // linkinfo.info_data, as told: {"id": 100}, {"mode": "802.3ad"}
  std::int64_t index = 0;
  std::int64_t mtu = 0;
  std::optional<std::int64_t> max_mtu;
  bool admin_up = false;
  std::vector<IpAddressEntry> addresses;
  std::vector<IpFunction> functions;
};

// Fails with ErrorCode::invalid, "line N, column M: ..." or "line 1: link I: ...".
Result<std::vector<IpLink>> parse_ip_json(std::string_view text);
// Each link under the keys of the struct; values that the tool left out are left out.
Value to_value(const std::vector<IpLink>& links);

}  // namespace fabric::providers
