// Egress: by which ports a frame leaves a host, and which interface gets one that came in, when
// bonds and VLANs stand between.
#pragma once

#include <vector>

#include "engine/lab/wire/frame_walk.hpp"

namespace fabric::lab {

struct Egress {
  std::vector<const Interface*> ports;  // of cards
  std::uint32_t vlan = 0;
};

// A bond sends a frame by one slave, which one its addresses decide; in mode broadcast by all.
Egress egress_of(
    const Network& network, const Machine& machine, const Interface& interface, const Frame& frame);
// Null if nobody takes it.
Interface* ingress_of(
    const Network& network, Machine& machine, const Interface& port, std::uint32_t vlan);

}  // namespace fabric::lab
