// SPDX-License-Identifier: Apache-2.0
// What became of each ping.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "engine/model/names.hpp"
#include "engine/platform/path_tests.hpp"

namespace fabric::verify {

// One ping from a port's address to another port's address, out of that port; of a bond, the first
// of its ports stands for it.
struct Path {
  PortRef from, to;
  std::string network;
  // The ping is bound to this: a netdev of the node, or its address in a ring or of its loopback.
  std::string from_interface;
  std::string to_address;
  // The IP MTU that must pass unfragmented; 0 = it is not known, and only a small ping is made.
  std::uint32_t mtu = 1500;
  std::string vlan{};  // of the network; "" = untagged
  auto operator<=>(const Path&) const = default;
};

using platform::Passage;
using platform::to_string;

struct PathReport {
  Path path;
  Passage small = Passage::untested;  // 56 bytes of payload
  Passage full = Passage::untested;   // the full MTU, fragmentation forbidden; only after `small`
  std::string detail;                 // what ping said, when it said more than "no answer"
};

}  // namespace fabric::verify
