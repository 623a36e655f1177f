// SPDX-License-Identifier: Apache-2.0
// What a Linux host does by its addresses and routes: which way it sends, and what it answers to
// and takes (arp_ignore, rp_filter, ignore_routes_with_linkdown).
#pragma once

#include <string_view>

#include "engine/lab/machine/network.hpp"
#include "engine/lab/machine/wire_end.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// Of the longest routes whose device is up the one of the lowest metric, and of these the first.
// `device` "" = any: then one whose device has no carrier counts only where the kernel does not
// ignore it (ignore_routes_with_linkdown). Before the main table those count that rules name for
// what has this `source` ("" = it has none yet), and for what came in by `incoming` (null: it is of
// the host itself).
IpPath ip_path(
    const Network& network,
    const LinuxHost& machine,
    const IpPrefix& target,
    std::string_view device,
    std::string_view source,
    const Interface* incoming = nullptr);
// Whether what comes in there for others goes on (net.ipv4.conf.IF.forwarding).
bool forwards(const LinuxHost& machine, const Interface& interface);
// Whether the kernel passes over the routes of an interface as it is now.
bool ignores_routes(const Network& network, const LinuxHost& machine, const Interface& interface);
// The interface that is up and has the address, or null.
const Interface* owner_of(const LinuxHost& machine, const IpPrefix& address);
bool answers_arp_request(
    const LinuxHost& machine,
    const Interface& interface,
    const IpPrefix& target,
    const IpPrefix& sender);
// Of a packet from `sender` to `target`, an address of the host's.
bool passes_rp_filter(
    const Network& network,
    const LinuxHost& machine,
    const Interface& interface,
    const IpPrefix& sender,
    const IpPrefix& target);

}  // namespace fabric::lab
