// SPDX-License-Identifier: Apache-2.0
// The path of our own session on a node: which interfaces carry it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/model/address.hpp"
#include "engine/platform/facts.hpp"

namespace fabric::platform {

struct SessionPath {
  // Why the interfaces that carry the session are unknown: "no route leads back to 192.0.2.1". Then
  // every interface may be one of them, whatever `devices` has. "" = they are known.
  std::string unknown = "its platform can't tell";
  std::string client;             // "192.0.2.1"; "" = not known
  std::string device;             // the interface that has the route back
  std::set<std::string> devices;  // that one and everything it lies on
  // Of `device`, the main table's; 0.0.0.0/0 is the default route. Empty = not known.
  std::vector<Subnet> routes;
};

// By what was read of the node.
using SessionReader = SessionPath (*)(const NodeFacts& facts);

}  // namespace fabric::platform
