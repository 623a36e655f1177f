// What a Linux host does by its addresses and routes: which way it sends, and what it answers to
// and takes (arp_ignore, rp_filter).
#pragma once

#include <string_view>

#include "engine/lab/linux/host/linux_host.hpp"
#include "engine/lab/machine/wire_end.hpp"

namespace fabric::lab {

// The first of the longest routes whose device is up; as the kernel, not by where a request came
// in. `device` "" = any.
IpPath ip_path(const LinuxHost& machine, const IpPrefix& target, std::string_view device);
// The interface that is up and has the address, or null.
const Interface* owner_of(const LinuxHost& machine, const IpPrefix& address);
bool answers_arp_request(
    const LinuxHost& machine,
    const Interface& interface,
    const IpPrefix& target,
    const IpPrefix& sender);
bool passes_rp_filter(const LinuxHost& machine, const Interface& interface, const IpPrefix& sender);

}  // namespace fabric::lab
