// The file that gives one port's Ethernet interface its name: a .link file by PCI path, or, where
// both ports sit behind one PCI function (mlx4), a udev rule by dev_port. The MAC address would
// tell those apart as well, but it is not known before the port has been Ethernet once.
#pragma once

#include <string>

#include "providers/adapter/inventory.hpp"
#include "providers/owned_file.hpp"

namespace fabric::providers {

// "/etc/systemd/network/10-fabric-cx5.1.link", "/etc/udev/rules.d/70-fabric-cx3.1.rules"
std::string name_path(const Card& card, const ResourceAddress& address);

// With the marker of the resource.
std::string name_file(
    const Resource& resource, const Card& card, const AdapterPort& port, const std::string& name);

// What a file of ours makes of this port; "" if it is about another one.
std::string name_in_file(std::string_view content, const Card& card, const AdapterPort& port);

}  // namespace fabric::providers
