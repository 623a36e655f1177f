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
// Those of one file alone; none where it is not there.
std::vector<IfupdownStanza> read_stanzas(const FileTree& files, const std::string& path);
// Interfaces that are up as far as ifupdown knows (/run/network/ifstate).
std::vector<std::string> read_ifstate(const FileTree& files);

// `process` gets the messages and runs the scripts. 0, or 1 if something failed. With `force` also
// when the state says that there is nothing to do.
int bring_up(
    Process& process, const IfupdownFile& file, const std::string& name, bool force = false);
int bring_down(
    Process& process, const IfupdownFile& file, const std::string& name, bool force = false);
// Of the first option of that name; "" if there is none.
std::string option_of(const IfupdownStanza& stanza, std::string_view name);

}  // namespace fabric::lab
