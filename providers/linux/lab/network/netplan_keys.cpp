// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/netplan_keys.hpp"

#include <algorithm>
#include <iterator>

namespace fabric::lab {
namespace {

template <std::size_t kSize>
bool has(const std::string_view (&list)[kSize], std::string_view key) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

constexpr std::string_view kSections[] = {
    "ethernets",
    "bonds",
    "bridges",
    "vlans",
    "modems",
    "nm-devices",
    "openvswitch",
    "tunnels",
    "vrfs",
    "wifis"};
constexpr std::string_view kCommon[] = {
    "accept-ra",
    "activation-mode",
    "addresses",
    "critical",
    "dhcp-identifier",
    "dhcp4",
    "dhcp4-overrides",
    "dhcp6",
    "dhcp6-overrides",
    "gateway4",
    "gateway6",
    "ignore-carrier",
    "ipv6-address-generation",
    "ipv6-address-token",
    "ipv6-mtu",
    "ipv6-privacy",
    "link-local",
    "macaddress",
    "mtu",
    "nameservers",
    "networkmanager",
    "openvswitch",
    "optional",
    "optional-addresses",
    "renderer",
    "routes",
    "routing-policy"};
constexpr std::string_view kEthernet[] = {
    "auth",
    "delay-virtual-functions-rebind",
    "embedded-switch-mode",
    "emit-lldp",
    "generic-receive-offload",
    "generic-segmentation-offload",
    "infiniband-mode",
    "large-receive-offload",
    "link",
    "match",
    "receive-checksum-offload",
    "set-name",
    "tcp-segmentation-offload",
    "tcp6-segmentation-offload",
    "transmit-checksum-offload",
    "virtual-function-count",
    "wakeonlan"};
constexpr std::string_view kBondParameters[] = {
    "ad-select",
    "all-members-active",
    "all-slaves-active",
    "arp-all-targets",
    "arp-interval",
    "arp-ip-targets",
    "arp-validate",
    "down-delay",
    "fail-over-mac-policy",
    "gratuitious-arp",
    "gratuitous-arp",
    "lacp-rate",
    "learn-packet-interval",
    "mii-monitor-interval",
    "min-links",
    "mode",
    "packets-per-member",
    "packets-per-slave",
    "primary",
    "primary-reselect-policy",
    "resend-igmp",
    "transmit-hash-policy",
    "up-delay"};
constexpr std::string_view kBridgeParameters[] = {
    "ageing-time",
    "aging-time",
    "forward-delay",
    "hello-time",
    "max-age",
    "path-cost",
    "port-priority",
    "priority",
    "stp"};
constexpr std::string_view kRoute[] = {
    "advertised-receive-window",
    "congestion-window",
    "from",
    "metric",
    "mtu",
    "on-link",
    "scope",
    "table",
    "to",
    "type",
    "via"};
constexpr std::string_view kRule[] = {"from", "mark", "priority", "table", "to", "type-of-service"};
constexpr std::string_view kModes[] = {
    "802.3ad",
    "active-backup",
    "balance-alb",
    "balance-rr",
    "balance-slb",
    "balance-tcp",
    "balance-tlb",
    "balance-xor",
    "broadcast"};

}  // namespace

bool is_netplan_section(std::string_view section) {
  return has(kSections, section);
}

bool is_netplan_key(std::string_view section, std::string_view key) {
  if (has(kCommon, key)) return true;
  if (section == "ethernets") return has(kEthernet, key);
  if (section == "bonds" || section == "bridges") return key == "interfaces" || key == "parameters";
  if (section == "vlans") return key == "id" || key == "link";
  return true;
}

bool is_netplan_parameter(std::string_view section, std::string_view key) {
  return section == "bonds" ? has(kBondParameters, key) : has(kBridgeParameters, key);
}

bool is_netplan_route_key(std::string_view key) {
  return has(kRoute, key);
}

bool is_netplan_rule_key(std::string_view key) {
  return has(kRule, key);
}

bool is_netplan_bond_mode(std::string_view mode) {
  return has(kModes, mode);
}

}  // namespace fabric::lab
