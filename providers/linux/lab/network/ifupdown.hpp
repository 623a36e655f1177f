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

}  // namespace fabric::lab
