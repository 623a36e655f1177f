// SPDX-License-Identifier: Apache-2.0
// The output of `ip` about links, addresses and routes, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {

struct IpFormat {
  bool json = false;       // -j
  bool details = false;    // -d; of JSON only
  bool only_ipv4 = false;  // -4; of JSON only
  bool brief = false;      // -br; of text only
  bool one_line = false;   // -o; of text only
};

// One item of `ip link show`, or with `addresses` of `ip address show`.
std::string show_interface(
    const Session& session, const IpFormat& format, const Interface& interface, bool addresses);
std::string show_route(const IpFormat& format, const Route& route);
// Includes the rules that the kernel begins with.
std::string show_rules(const IpFormat& format, const std::vector<RoutingRule>& rules);
// Joins the items to one output.
std::string show_list(const IpFormat& format, const std::vector<std::string>& items);

}  // namespace fabric::lab::commands
