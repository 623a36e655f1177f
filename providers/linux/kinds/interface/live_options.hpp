// SPDX-License-Identifier: Apache-2.0
// Options that can be changed while an interface carries traffic, and those that need a new device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/provider/change.hpp"
#include "providers/linux/kinds/interface/link/link_config.hpp"

namespace fabric::providers {

// The name in `ip link set ... type bond` of a bond's option that can change without interrupting
// traffic; null for all other attributes.
const char* live_option(std::string_view attribute);
// True for an attribute that only a new device can take, whatever its kind.
bool is_fixed(std::string_view attribute);

// True if every running attribute of the change can be set on the running bond.
bool only_live_options(const Change& change);

// Removes the rules of changed tables by number: no back end is sure to remember a rule once the
// file that made it has changed.
std::vector<remote::Argv> without_rules(const Change& change);
// Commands that end running configuration of live_attributes(). `undo` restores rules and routes;
// it can't restore a shaper, a filter, an XDP program or a VLAN that no file makes.
struct LiveEnd {
  std::vector<remote::Argv> steps, undo;
};
LiveEnd ending(const Change& change, const std::string& device);
// True if the change of the running state is only the source table, which interrupts no traffic.
bool only_source_table(const Change& change);
// Adds the route and the rule of the source table. REQUIRES: the rule is not there yet.
std::vector<remote::Argv> source_commands(const LinkConfig& config, const std::string& device);

// The kernel's default value; nullopt: unknown.
std::optional<Value> kernels_own(std::string_view attribute, const LinkTarget& target);
// The value before fabric, which the kernel gets again once no document asks for another value in
// fabric's file. Null: none. Nullopt: the value stays as it is, or it is unknown.
std::optional<Value> reset_to(
    const Change& change, const LinkTarget& target, std::string_view attribute);

// Sets all options of the bond `device` that can change while it runs: the wanted ones, and the
// values before fabric for those that are no longer wanted. `primary`: the present name of the
// primary slave. Empty if no such option changes.
std::vector<remote::Argv> live_commands(
    const Change& change,
    const LinkTarget& target,
    const std::string& device,
    const std::string& primary);

}  // namespace fabric::providers
