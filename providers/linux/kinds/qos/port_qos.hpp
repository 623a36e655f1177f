// SPDX-License-Identifier: Apache-2.0
// How the ports of a node sort frames, and which frames they must not lose.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

// The state of one port. An unknown part is nullopt or "".
struct PortQos {
  bool is_ethernet = true;  // now; else what belongs to its interface is not there yet
  std::string why;          // what follows could not be read; "" = it was
  std::string dcbx;         // "os", "firmware"
  std::string trust;        // "pcp", "dscp"
  std::optional<std::vector<std::int64_t>> pfc;
  std::map<std::int64_t, std::int64_t> dscp_priorities;
  // By priority, of each end that has to heed it: of a driver the one that is slowed down and the
  // one that says so.
  std::map<std::int64_t, std::vector<bool>> ecn;
  bool ecn_by_driver = false;  // else the firmware decides (E-qos-ecn)
  std::optional<std::int64_t> cnp_dscp;
  // Of RDMA CM. The driver's own class of all connections wins over it.
  std::optional<std::int64_t> tos, forced_class;
};

Probe qos_probe();
// `card` and its `port`, as the inventory has them; firmware tools tell ECN where no driver does.
PortQos port_qos(const NodeFacts& facts, const Card& card, const AdapterPort& port);

}  // namespace fabric::providers
