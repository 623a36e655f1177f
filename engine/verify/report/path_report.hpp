// SPDX-License-Identifier: Apache-2.0
// The pings of a verify and their results.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/platform/path_tests.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::verify {

// One ping from a port's address to another port's address, out of that port; the first port of a
// bond stands for all of its ports.
struct Path {
  PortRef from, to;
  std::string network;
  // The source of the ping: a network device, or the node's address in a ring or on its loopback.
  std::string from_interface;
  std::string to_address;
  // The IP MTU that must pass unfragmented, in bytes; 0 = unknown, and only a small ping is made.
  std::uint32_t mtu = 1500;
  std::string vlan{};  // a VLAN of the network; "" = untagged
  auto operator<=>(const Path&) const = default;
};

using platform::Passage;
using platform::to_string;

struct PathReport {
  Path path;
  Passage small = Passage::untested;  // 56 bytes of payload
  Passage full = Passage::untested;   // the full MTU, fragmentation forbidden; only after `small`
  std::string detail;                 // ping's message, if it is more than "no answer"
};

// The pings of one node as its platform makes them, and a report of each.
remote::Step ping_step(const platform::PingTests& tests, const std::vector<Path>& from_one_node);
std::vector<PathReport> parse_pings(
    const platform::PingTests& tests,
    const std::vector<Path>& from_one_node,
    const remote::StepResult& result);

}  // namespace fabric::verify
