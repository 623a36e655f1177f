// SPDX-License-Identifier: Apache-2.0
// The ways in which foreign files name an interface: by name, list, pattern, range or regular
// expression, or by a template. Where it can't be told, the interface may be meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/linux/kinds/interface/link/link_config.hpp"

namespace fabric::providers {

struct Spelling {
  bool fits = false;
  bool alone = false;  // names only this interface
};

// A word of ifupdown: "swp1", "swp1:0" with one more address, "swp[1-4]", "swp${i}" of a template,
// "/eth*".
Spelling ifupdown_name(std::string_view word, const std::string& name);
// True for a word of `auto` or `allow-hotplug` that gives the port a stanza of another name:
// "swp1=rail0", "/en*=dhcp", "/mac/0c:42:a1:8c:51:a8=rail0".
bool ifupdown_selects(std::string_view word, const LinkTarget& target);
// True for a command that configures the interface: "ip link set swp1 master br0".
bool ifupdown_command(std::string_view command, const std::string& name);
// True if a value as "swp1 swp2", "glob swp1-6", "regex eth.*" or "all" has the interface.
bool ifupdown_lists(std::string_view value, const std::string& name);

// A list of [match] of NetworkManager: "eth*;!eth1;", "|mlx5_core;&mlx*".
Spelling manager_pattern(std::string_view list, const std::string& text);

// True if one of netplan's globs fits.
Spelling netplan_globs(const std::vector<std::string>& globs, const std::string& text);

// True for the port's hardware address in any spelling: six bytes of Ethernet, or the twenty of
// IPoIB, whose last eight are the GUID of the port.
bool is_address_of(std::string_view text, const LinkTarget& target);

// udev's path of the port, "pci-0000:01:00.0"; "" if the target is no port.
std::string path_of(const LinkTarget& target);
// The driver's name as ethtool prints it, "mlx5_core"; "" if it is not known.
std::string driver_of(const LinkTarget& target);

}  // namespace fabric::providers
