// SPDX-License-Identifier: Apache-2.0
// How the ports of a node sort frames by priority, and which priorities are lossless.
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
  bool is_ethernet = true;  // now; else the settings of its interface are not there yet
  std::string why;          // why the fields below could not be read; "" = they were
  std::string dcbx;         // "os", "firmware"
  std::string trust;        // "pcp", "dscp"
  std::optional<std::vector<std::int64_t>> pfc;
  std::map<std::int64_t, std::int64_t> dscp_priorities;
  // For each priority: whether ECN is on at each end: for a driver at the sender that is slowed
  // down and at the receiver that notifies it.
  std::map<std::int64_t, std::vector<bool>> ecn;
  bool ecn_by_driver = false;  // else the firmware decides (E-qos-ecn)
  std::optional<std::int64_t> cnp_dscp;
  // The type of service that RDMA CM sets. The driver's class for all connections overrides it.
  std::optional<std::int64_t> tos, forced_class;
};

Probe qos_probe();
// `card` and `port` are from the inventory; firmware tools tell ECN where no driver does.
PortQos port_qos(const NodeFacts& facts, const Card& card, const AdapterPort& port);

}  // namespace fabric::providers
