// SPDX-License-Identifier: Apache-2.0
// Egress: by which ports a frame leaves a Linux host, and which interface gets one that came in,
// when bonds and VLANs stand between.
#pragma once

#include "engine/lab/machine/network.hpp"
#include "engine/lab/machine/wire_end.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// A bond sends a frame by one slave, which one its addresses decide; in mode broadcast by all. Only
// ports that are up.
Egress egress_of(
    const Network& network,
    const LinuxHost& machine,
    const Interface& interface,
    const Frame& frame);
// Null if no port takes it.
const Interface* ingress_of(
    const Network& network,
    const LinuxHost& machine,
    std::size_t card,
    std::uint32_t port,
    const Frame& frame);

}  // namespace fabric::lab
