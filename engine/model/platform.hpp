// SPDX-License-Identifier: Apache-2.0
// The platforms that a document can name, a row each: the traits by which the layers above the
// platforms know what a document means there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fabric {

struct KeyTable;

enum class Platform : std::uint8_t { linux, esxi, esx_classic, mlnx_os, cumulus, nvos, unmanaged };

// The platform of a node without the key `platform`.
inline constexpr Platform kUsualPlatform = Platform::linux;

// How a system names the ports of a switch, however a document writes them.
enum class PortNames : std::uint8_t {
  as_written,
  in_slot,       // "1/7" for "7": in slot 1
  cage_and_port  // "sw4p2" for "8", "4/2" and "1/4/2"
};

struct PlatformTraits {
  Platform platform;
  std::string_view name;    // in the document: "esx-classic"
  std::string_view called;  // in messages: "an ESXi host"
  const KeyTable* keys;     // the keys of a document that it can express (platform_keys.hpp)
  // The word by which the head of the probes' script names the system (probes.sh); "prompt" for a
  // switch whose commands are no shell's. Empty: the head does not know it, and any word may mean
  // it.
  std::string_view system{};
  bool is_switch = false;
  // False: it has cables, but is never asked nor configured.
  bool is_managed = true;
  // A host with the network of the Linux kernel, its ARP, its routes by source and its back ends,
  // and with daemons of Linux.
  bool linux_host = false;
  bool maintenance_mode = false;
  // Ports are under virtual switches, which have the MTU of all their ports.
  bool virtual_switches = false;
  // A card that speaks InfiniBand is shown as Ethernet (E-esxi-sriov-order).
  bool infiniband_as_ethernet = false;
  // The driver numbers its ports over all cards.
  bool ports_over_all_cards = false;
  bool driver_recovery = false;
  // ESX with bundles of drivers, uplinks of IPoIB, and a network that only the VI client sets.
  bool service_console = false;
  // The switch saves its running configuration only on a command.
  bool keeps_when_told = false;
  // A port may have a subnet of its own, and the switch forwards between them (`per: cable`).
  bool routes_ports = false;
  // Only the node's own hooks run: those of the document are for hosts.
  bool own_hooks_only = false;
  // The address range that its maker reserves for pairs of switches (E-nvue-mlag, E-onyx-mlag); the
  // octets that follow tell pairs apart.
  std::string_view pair_mac{};
  // The prefix of the number in a port's name.
  std::string_view port_prefix{};
  PortNames port_names = PortNames::as_written;
  // The largest MTU of an Ethernet port; 0 = unknown, the driver's limit counts.
  std::uint32_t largest_mtu = 0;
};

// In the order in which messages name them.
std::span<const PlatformTraits> platforms();
const PlatformTraits& traits(Platform platform);

std::string_view to_string(Platform platform);
std::optional<Platform> platform_of(std::string_view written);
bool is_switch(Platform platform);

}  // namespace fabric
