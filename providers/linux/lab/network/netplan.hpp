// SPDX-License-Identifier: Apache-2.0
// netplan 0.106: YAML files that are merged into definitions, and the generator of files for
// systemd-networkd and NetworkManager, run by `netplan generate` and at boot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab {

struct NetplanRoute {
  std::string to, via, from, scope, metric, table, mtu;
  bool on_link = false;
};

struct NetplanRule {
  std::string from, to, table, priority, mark;
};

struct NetplanDefinition {
  std::string id;
  std::string section;   // "ethernets", "bonds", "bridges", "vlans"
  std::string renderer;  // "" = of the file
  bool has_match = false;
  std::vector<std::string> match_names, match_drivers;
  std::string match_mac, set_name;
  std::optional<bool> dhcp4, dhcp6, optional, accept_ra, ignore_carrier;
  std::optional<bool> link_local_ipv4, link_local_ipv6;
  std::string mtu, gateway4, gateway6, infiniband_mode, activation_mode;
  std::vector<std::string> addresses;
  std::vector<NetplanRoute> routes;
  std::vector<NetplanRule> rules;
  std::vector<std::string> ports;                               // of a bond or bridge
  std::vector<std::pair<std::string, std::string>> parameters;  // the same
  std::string vlan_id, link;
  std::string bond, bridge;  // the bond or bridge that has it as a port
  bool is_primary = false;   // of its bond
};

struct NetplanState {
  std::string renderer = "networkd";
  std::vector<NetplanDefinition> definitions;  // in the order in which they were first defined
  std::string warnings;
  std::string problem;  // with its place; then nothing counts
  const NetplanDefinition* find(const std::string& id) const;
  NetplanDefinition* find(const std::string& id);
};

// netplan_files.cpp: all files in order of name, a file in /run before that of the same name in
// /etc. A file's references must be defined by it or by an earlier file.
NetplanState read_netplan(const FileTree& files);

struct NetplanFile {
  std::string path, content;
};
// The files that networkd and udev then read.
std::vector<NetplanFile> netplan_networkd_files(const NetplanState& state);

// The output and the exit status of the generator. After an error the former files stay.
struct NetplanGenerated {
  int status = 0;
  std::string messages;
};
NetplanGenerated netplan_generate(LinuxHost& machine);
// Activates the generated files. Prints errors, and returns the exit status.
int netplan_apply(Process& process);

}  // namespace fabric::lab
