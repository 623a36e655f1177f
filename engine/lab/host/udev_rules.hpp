// udev's rules, as far as they name a network interface that appears or write its attributes.
#pragma once

#include <map>
#include <string>

#include "engine/lab/host/machine.hpp"

namespace fabric::lab {

// What the rules say of an interface that appears.
struct UdevVerdict {
  std::string name;  // of those before 80-net-setup-link.rules; "" = none
  std::map<std::string, std::string> attributes;  // to write: "device/sriov_numvfs" and the value
};
UdevVerdict judge_by_rules(const Machine& machine, const Interface& interface);

// Writes the attributes to sysfs, which must be there. What sysfs refuses udev only logs.
void write_attributes(Machine& machine, const std::string& interface, const UdevVerdict& verdict);

}  // namespace fabric::lab
