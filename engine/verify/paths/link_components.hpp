// SPDX-License-Identifier: Apache-2.0
// Which ports of a network can hear each other by its cables: connected components in which a
// switch connects all its ports, and a host none of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric::verify {

// The nodes that join its ports: switches alone, or hosts too, as routers do in a network with
// transit.
enum class Through : std::uint8_t { switches, hosts };

class LinkComponents {
 public:
  // `without`: indices of cables of the network that carry nothing. Ports that are listed without a
  // cable are linked with no other port, except on InfiniBand, where they are taken to be in one
  // subnet.
  explicit LinkComponents(
      const NetworkSpec& network,
      const std::set<std::size_t>& without = {},
      Through through = Through::switches);

  // True if any of `these` hears any of `those`.
  bool connect(const std::vector<PortRef>& these, const std::vector<PortRef>& those) const;

 private:
  std::size_t vertex(const PortRef& port);  // adds it if it is new
  std::size_t root(std::size_t vertex) const;
  void link(const PortRef& a, const PortRef& b);
  // The root of the port's component; nullopt if no cable that counts ends at the port.
  std::optional<std::size_t> component(const PortRef& port) const;

  PortRef key_of(const PortRef& port) const;

  Through through_;
  std::map<PortRef, std::size_t> vertices_;  // a host's port, a joining host, a switch
  std::vector<std::size_t> towards_root_;    // parent of each vertex; a root is its own
};

}  // namespace fabric::verify
