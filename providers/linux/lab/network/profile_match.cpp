// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/profile_match.hpp"

#include <algorithm>

#include "providers/linux/lab/kernel/link_files.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

namespace fabric::lab {
namespace {

// "|a" or "a": one of these; "&a": each of these; "!a": none of these.
bool matches_any(const std::vector<std::string>& patterns, const std::string& text) {
  bool any = false;
  bool asked = false;
  for (const std::string& each : patterns) {
    std::string_view pattern = each;
    const bool must = pattern.starts_with('&');
    if (must || pattern.starts_with('|')) pattern.remove_prefix(1);
    const bool negated = pattern.starts_with('!');
    if (negated) pattern.remove_prefix(1);
    const bool fits = shell::matches(pattern, text);
    if (negated ? fits : must && !fits) return false;
    if (negated || must) continue;
    asked = true;
    any = any || fits;
  }
  return any || !asked;
}

}  // namespace

bool fits_profile(
    const LinuxHost& machine, const Interface& interface, const ConnectionProfile& profile) {
  if (interface.loopback || interface.is_virtual() || profile.is_virtual()) return false;
  if (profile.type != (interface.infiniband ? "infiniband" : "ethernet")) return false;
  if (!profile.interface.empty() && profile.interface != interface.name) return false;
  if (!profile.mac.empty() && profile.mac != interface.permanent_mac) return false;
  return matches_any(profile.match_names, interface.name) &&
         matches_any(profile.match_paths, udev_path(machine, interface)) &&
         matches_any(profile.match_drivers, driver_of(machine, interface));
}

}  // namespace fabric::lab
