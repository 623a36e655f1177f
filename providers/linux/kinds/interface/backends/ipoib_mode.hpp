// SPDX-License-Identifier: Apache-2.0
// Connected mode of a port's own IPoIB interface where networkd configures it, also for netplan:
// up to systemd 252 at least it ignores the section of a .network file that says so ("Unknown
// section 'IPoIB'. Ignoring.", seen on Debian 12), and datagram is the kernel's default. A udev
// rule sets it before networkd gives the interface an MTU that datagram mode refuses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "providers/linux/kinds/interface/backends/backend.hpp"

namespace fabric::providers {

// "/etc/udev/rules.d/90-fabric-ipoib-cx5.1.rules"
std::string ipoib_mode_path(const LinkTarget& target);
// Nullopt if the interface needs no rule.
std::optional<ConfigFile> ipoib_mode_rule(const LinkTarget& target, const LinkConfig& config);
// The mode after the next boot. `written`: the mode in the back end's own file, "" = none.
std::string ipoib_mode_at_boot(
    const LinkTarget& target, const FileTexts& files, const std::string& written);
// True if the rule is needed and missing.
bool lacks_ipoib_mode_rule(
    const LinkTarget& target, const FileTexts& files, const std::string& written);
// Empty where the mode does not change now, or where a new device is made with the mode.
std::vector<remote::Argv> set_ipoib_mode(const Activation& activation);

}  // namespace fabric::providers
