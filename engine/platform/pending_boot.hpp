// SPDX-License-Identifier: Apache-2.0
// Changes on a host since its boot that only the next boot activates, or that were never booted
// with: another kernel, files of its network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/facts.hpp"

namespace fabric {

// A platform that can tell asks by a probe of this name, which prints lines: "btime SECONDS",
// "running RELEASE", "kernel SECONDS RELEASE" (installed then), "file SECONDS PATH" (changed then),
// "ours PATH" (written by fabric), "asked WHAT" (asks for a boot), "package NAME" (waits for it).
inline constexpr std::string_view kPendingBootProbe = "pending-boot";

// The changes in words: "the kernel 6.8.0-50-generic in place of 6.8.0-45-generic",
// "/etc/netplan/60-site.yaml, which was changed since the last boot". Empty if the time of the boot
// is unknown.
std::vector<std::string> pending_at_boot(const NodeFacts& facts);

}  // namespace fabric
