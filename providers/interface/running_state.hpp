// What an interface runs with now, by iproute2 of any age or by sysfs.
#pragma once

#include "engine/provider/facts.hpp"
#include "engine/provider/observation.hpp"
#include "engine/provider/provider.hpp"
#include "providers/adapter/inventory.hpp"

namespace fabric::providers {

Probe ip_addr_probe();

struct RunningState {
  Reading mtu = Reading::absent();
  Reading addresses = Reading::absent();
};

// Absent while the port has no Ethernet interface.
RunningState running_state(const NodeFacts& facts, const AdapterPort& port);

// As a Value, in order of address: the order in which the document's are.
Value address_list(std::vector<std::string> addresses);

}  // namespace fabric::providers
