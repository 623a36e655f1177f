// SPDX-License-Identifier: Apache-2.0
// Options of stanzas of /etc/network/interfaces: written by fabric, and read again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "providers/linux/kinds/interface/link/link_config.hpp"
#include "providers/linux/parsers/ifupdown_file.hpp"

namespace fabric::providers::ifupdown {

inline constexpr std::string_view kMinLinks = "echo ";
inline constexpr std::string_view kMinLinksTo = " > /sys/class/net/$IFACE/bonding/min_links";
inline constexpr std::string_view kModeTo = " > /sys/class/net/$IFACE/mode";
inline constexpr std::string_view kRoute = "ip route replace ";
inline constexpr std::string_view kRule = "ip rule add ";
inline constexpr std::string_view kSetMtu = "ip link set dev $IFACE mtu ";

// Appends "    key value\n"; nothing if the value is empty.
void line(std::string& text, std::string_view key, const std::string& value);
void line(std::string& text, std::string_view key, const std::optional<std::int64_t>& value);
void put_bond(std::string& text, const BondConfig& bond, bool second);
// The routes of one family.
std::string route_lines(const LinkConfig& config, bool ipv6);
// The rule for incoming packets, and the rule for packets with an address as source with its route;
// "" if there is none.
std::string rule_lines(const LinkConfig& config);

// Adds the value of an option that fabric writes; other options are ignored.
void read_option(LinkConfig& config, const IfupdownOption& option);

}  // namespace fabric::providers::ifupdown
