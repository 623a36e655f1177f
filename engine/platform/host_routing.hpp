// SPDX-License-Identifier: Apache-2.0
// The settings by which a host chooses the interface to send by, and its answers there: its
// addresses, its routes in their order, its rules by source.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/address.hpp"
#include "engine/platform/facts.hpp"

namespace fabric::platform {

struct InterfaceAddress {
  IpAddress address;
  Subnet subnet;
};

struct RoutedInterface {
  bool up = false;
  std::optional<bool> carrier;
  std::vector<InterfaceAddress> addresses;  // IPv4, in the kernel's order
  // The value in force, of `all` and of the interface itself.
  std::uint32_t arp_ignore = 0, rp_filter = 0;
  bool ignores_linkdown = false;
};

// A route to a subnet on the link itself.
struct LinkRoute {
  Subnet to;
  std::string interface;
  std::uint32_t table = 0;  // 0 = main
  std::uint32_t metric = 0;
};

struct RuleBySource {
  IpAddress from;
  std::uint32_t table = 0;
};

struct HostRouting {
  std::map<std::string, RoutedInterface, std::less<>> interfaces;
  std::vector<LinkRoute> routes;  // the first of equal ones counts
  std::vector<RuleBySource> rules;
  // True if it forwards IPv4 between any two interfaces; nullopt: not read.
  std::optional<bool> forwards{};
};

// Reads the routing from the host's facts; nullopt if they don't have it.
using RoutingReader = std::optional<HostRouting> (*)(const NodeFacts& facts);

}  // namespace fabric::platform
