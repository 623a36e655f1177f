// SPDX-License-Identifier: Apache-2.0
// ifupdown: /etc/network/interfaces with its sources, ifup and ifdown.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab {

struct IfupdownStanza {
  std::string name;
  std::string method;  // "static", "manual", "loopback", "dhcp"
  std::vector<std::pair<std::string, std::string>> options;
};

struct IfupdownFile {
  std::vector<std::string> automatic;  // `auto`, in order
  std::vector<std::string> hotplug;    // `allow-hotplug`
  std::vector<IfupdownStanza> stanzas;
  std::string problem;  // "/etc/network/interfaces:3: unknown ..."
};

IfupdownFile read_interfaces(const FileTree& files);
// The stanzas of one file; none if it is missing.
std::vector<IfupdownStanza> read_stanzas(const FileTree& files, const std::string& path);
// The interfaces that are up for ifupdown (/run/network/ifstate).
std::vector<std::string> read_ifstate(const FileTree& files);

// `process` gets the messages and runs the scripts. Returns 0, or 1 if something failed. `force`:
// even if the state says that the interface is up.
int bring_up(
    Process& process, const IfupdownFile& file, const std::string& name, bool force = false);
int bring_down(
    Process& process, const IfupdownFile& file, const std::string& name, bool force = false);
// The value of the first option of that name; "" if there is none.
std::string option_of(const IfupdownStanza& stanza, std::string_view name);

// The differences of ifupdown2 (3.0.0 of Debian 12, used by Proxmox) to ifupdown: it remembers
// until the next boot what it brought up, takes down by this memory and not by the files, ignores
// interfaces that it never brought up, and brings an interface up again by changing what runs to
// what the files say. Seen on Debian 12.
bool is_ifupdown2(Process& process);

// The stanzas by which `name` was brought up; none if it never was since the boot.
std::vector<IfupdownStanza> remembered(const FileTree& files, const std::string& name);
// No stanzas: forgets the interface.
void remember(
    LinuxHost& machine, const std::string& name, const std::vector<IfupdownStanza>& stanzas);

// Before an interface is brought up again: removes settings that the files no longer have.
void make_way(LinuxHost& machine, const std::vector<IfupdownStanza>& stanzas);

// Marks the default routes over `device`, just made, as made by ifupdown2.
void claim_default_routes(LinuxHost& machine, const std::string& device);

// Prints its error. Returns its exit status.
int cannot_find(Process& process, const std::string& name, bool is_up);

// Bonds and VLANs of ifupdown: it makes VLANs itself, the hooks of package ifenslave make bonds,
// and ifupdown2 makes both.
inline constexpr const char* kIfenslaveUp = "/etc/network/if-pre-up.d/ifenslave";
inline constexpr const char* kIfenslaveDown = "/etc/network/if-post-down.d/ifenslave";

// Returns "" or an error. No effect for a stanza that is no VLAN; with ifupdown also a child of
// IPoIB.
std::string make_vlan(Process& process, const IfupdownStanza& stanza);
void unmake_vlan(Process& process, const IfupdownStanza& stanza);
// Makes a bridge (bridge-ports), only in ifupdown2; missing ports are brought up first.
void make_bridge(Process& process, const IfupdownFile& file, const IfupdownStanza& stanza);
void unmake_bridge(Process& process, const IfupdownStanza& stanza);
// For the stanza of a bond (bond-slaves, bond-mode) or of a slave (bond-master). Without the hook
// it does nothing, silently. An error is printed and stops nothing, as in the hook.
void make_bond(Process& process, const IfupdownFile& file, const IfupdownStanza& stanza);
void unmake_bond(Process& process, const IfupdownStanza& stanza);

}  // namespace fabric::lab
