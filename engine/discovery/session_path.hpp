// The path of our own SSH session on a node: which interfaces carry it (I14).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/model/address.hpp"
#include "engine/provider/facts.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::discovery {

// Finds the session's client in the environment of the shell, of its parent if sudo has cleared it,
// and follows the route back to it down through bridges, bonds and VLANs. Where that route is
// chosen from: the destinations of the interface that has it.
Probe session_probe();

struct SessionPath {
  std::string client;             // "192.0.2.1"; "" = not known
  std::string device;             // the interface that has the route back
  std::set<std::string> devices;  // that one and everything it lies on
  // Of `device`, the main table's; 0.0.0.0/0 is the default route. Empty = not known.
  std::vector<Subnet> routes;
};
SessionPath session_path_of(const NodeFacts& facts);

}  // namespace fabric::discovery
