// SPDX-License-Identifier: Apache-2.0
// The files that make a port lossless at each boot: a script, a unit that runs it, and a udev rule
// that starts the unit with the port. All three are fabric's (E-qos-lost-at-boot).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/platform/owned_file.hpp"
#include "engine/remote/command.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

// The values that the script sets. "" and nullopt leave a setting as it is.
struct QosValues {
  std::string dcbx;                              // "os", "firmware"
  std::string trust;                             // "dscp", "pcp"
  std::optional<std::vector<std::int64_t>> pfc;  // and no other priorities
  std::map<std::int64_t, std::int64_t> dscp_priorities;
  std::map<std::int64_t, bool> ecn;  // by priority
  std::optional<std::int64_t> cnp_dscp, tos;
  friend bool operator==(const QosValues&, const QosValues&) = default;
};

struct QosPaths {
  std::string script, unit, rule;
  std::string unit_name;
};
QosPaths qos_paths(const ResourceAddress& address);

// For sh. Finds the port by PCI address, tries all settings, and fails if one failed.
std::string qos_script(const Card& card, const AdapterPort& port, const QosValues& values);
// The command that runs the same script once, without a file.
remote::Argv qos_command(const Card& card, const AdapterPort& port, const QosValues& values);
// The values of a script, if qos_script() made it for this port; nullopt: another content.
std::optional<QosValues> values_in_script(
    const Card& card, const AdapterPort& port, const std::string& content);
std::string qos_unit(const QosPaths& paths, const std::string& port);
std::string qos_rule(const Card& card, const AdapterPort& port, const QosPaths& paths);

// The content without the lines of the marker.
std::string without_marker(const std::string& content);

}  // namespace fabric::providers
