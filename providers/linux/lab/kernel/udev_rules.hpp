// SPDX-License-Identifier: Apache-2.0
// udev's rules, as far as they name a network interface that appears, write its attributes, or
// start a unit for a device.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// The result of the rules for an interface that appears.
struct UdevVerdict {
  std::string name;  // from rules before 80-net-setup-link.rules; "" = none
  std::map<std::string, std::string> attributes;  // to write: "device/sriov_numvfs" and the value
  std::vector<std::string> wants;                 // units, of rules that tag the device for systemd
  std::vector<std::string> runs;  // command lines, in which $name stands for the interface
};
UdevVerdict judge_by_rules(const LinuxHost& machine, const Interface& interface);

// The units that systemd starts when the device ("infiniband_mad", "umad0") appears, each once.
std::vector<std::string> units_wanted_by(
    const LinuxHost& machine, std::string_view subsystem, std::string_view device);

// Writes the attributes to sysfs. REQUIRES: sysfs is there. udev only logs what sysfs refuses.
void write_attributes(LinuxHost& machine, const std::string& interface, const UdevVerdict& verdict);

}  // namespace fabric::lab
