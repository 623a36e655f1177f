// SPDX-License-Identifier: Apache-2.0
// The path of our own session on a node: the interfaces that carry it.
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
  std::set<std::string> devices;  // that one and all interfaces beneath it
  // The routes by `device` in the main table; 0.0.0.0/0 is the default route. Empty = unknown.
  std::vector<Subnet> routes;
};

// Reads the path from the node's facts.
using SessionReader = SessionPath (*)(const NodeFacts& facts);

}  // namespace fabric::platform
