// SPDX-License-Identifier: Apache-2.0
// The kinds of machines that a document names, a row each: what the layers above the platforms must
// know of one to say what a document means there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fabric {

struct KeyTable;

enum class Platform : std::uint8_t { linux, esxi, esx_classic, mlnx_os, cumulus, nvos, unmanaged };

// The platform of a node without the key.
inline constexpr Platform kUsualPlatform = Platform::linux;

// How a system names the ports of a switch, in whatever form a document writes them.
enum class PortNames : std::uint8_t {
  as_written,
  in_slot,       // "1/7": slot 1 of "7"
  cage_and_port  // "sw4p2": of "8", "4/2" and "1/4/2"
};

struct PlatformTraits {
  Platform platform;
  std::string_view name;    // as the document spells it: "esx-classic"
  std::string_view called;  // in messages: "an ESXi host"
  const KeyTable* keys;     // what it can express of a document (platform_keys.hpp)
  // The word by which the head of the probes' script names the system (probes.sh); "prompt" for a
  // switch whose commands are no shell's. Empty: the head does not know it, and any may be it.
  std::string_view system{};
  bool is_switch = false;
  // False: it is cabled, and never asked nor configured.
  bool is_managed = true;
  // A host whose network is the Linux kernel's, with its ARP, its routes by source and its back
  // ends, and whose daemons are those of Linux.
  bool linux_host = false;
  bool maintenance_mode = false;
  // Ports are under virtual switches, which have their MTU.
  bool virtual_switches = false;
  // A card that speaks InfiniBand is shown as Ethernet (E-esxi-sriov-order).
  bool infiniband_as_ethernet = false;
  // The driver counts its ports over all cards.
  bool ports_over_all_cards = false;
  bool driver_recovery = false;
  // Bundles of drivers, uplinks of IPoIB, and a network that is set in the VI client alone.
  bool service_console = false;
  // The switch saves its running configuration only on a command.
  bool keeps_when_told = false;
  // A port may have a subnet of its own, and the switch forwards between them (`per: cable`).
  bool routes_ports = false;
  // Hooks are of hosts, but for those that the node itself names.
  bool own_hooks_only = false;
  // The range that its maker has set aside for pairs of switches (E-nvue-mlag, E-onyx-mlag); the
  // octets that follow tell pairs apart.
  std::string_view pair_mac{};
  // Before the number of a port in its name.
  std::string_view port_prefix{};
  PortNames port_names = PortNames::as_written;
  // Of an Ethernet port; 0 = no more than the driver's limit is known.
  std::uint32_t largest_mtu = 0;
};

// In the order in which messages name them.
std::span<const PlatformTraits> platforms();
const PlatformTraits& traits(Platform platform);

std::string_view to_string(Platform platform);
std::optional<Platform> platform_of(std::string_view written);
bool is_switch(Platform platform);

}  // namespace fabric
