// SPDX-License-Identifier: Apache-2.0
// Finds the interface of a resource on a node: its name now and after the next boot.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/link/link_config.hpp"
#include "providers/linux/kinds/interface/link/running_state.hpp"

namespace fabric::providers {

struct FoundLink {
  // Valid if `why` is "". Points into the cards that were searched.
  LinkTarget target;
  std::string device;  // its present name; "" = it does not exist
  // The port that decides which back end owns the interface; never null if `why` is "".
  const AdapterPort* port = nullptr;
  std::string why;  // "no card of model connectx-5"
  // For a port: until the next boot another interface has the name that this one is to get. What
  // others configure by that name is about the other one.
  bool takes_name = false;
};

// `resource` of kind interface, bond, vlan or ipoib, bound as engine/model/resource_keys.hpp says.
FoundLink find_link(
    const Resource& resource, const std::vector<Card>& cards, const RunningLinks& links);

// The name that the kernel gives a VLAN or P_Key child on the interface `parent`.
std::string name_above(const Resource& resource, const std::string& parent);

}  // namespace fabric::providers
