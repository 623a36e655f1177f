// SPDX-License-Identifier: Apache-2.0
// The addresses and routes of a Linux host: the way of what it sends, and what it answers and
// accepts (arp_ignore, rp_filter, ignore_routes_with_linkdown).
#pragma once

#include <string_view>

#include "engine/lab/machine/network.hpp"
#include "engine/lab/machine/wire_end.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// The path by the longest route whose device is up; of several by the lowest metric, then the
// first. `device` "" = any: a device without a carrier then counts only where the kernel does not
// ignore it (ignore_routes_with_linkdown). Tables of rules for this `source` ("" = none yet), and
// for packets that came in by `incoming` (null: sent by the host itself), come before the main
// table.
IpPath ip_path(
    const Network& network,
    const LinuxHost& machine,
    const IpPrefix& target,
    std::string_view device,
    std::string_view source,
    const Interface* incoming = nullptr);
// True if packets for others that come in there are forwarded (net.ipv4.conf.IF.forwarding).
bool forwards(const LinuxHost& machine, const Interface& interface);
// True if the kernel ignores the routes of an interface in its present state.
bool ignores_routes(const Network& network, const LinuxHost& machine, const Interface& interface);
// The interface that is up and has the address, or null.
const Interface* owner_of(const LinuxHost& machine, const IpPrefix& address);
// ARP for an address of the host (arp_ignore), or a neighbour solicitation for one of the interface
// itself (ndisc_recv_ns).
bool answers_neighbour_request(
    const LinuxHost& machine,
    const Interface& interface,
    const IpPrefix& target,
    const IpPrefix& sender);
// For a packet from `sender` to `target`, an address of the host. IPv6 has no such filter.
bool passes_rp_filter(
    const Network& network,
    const LinuxHost& machine,
    const Interface& interface,
    const IpPrefix& sender,
    const IpPrefix& target);

}  // namespace fabric::lab
