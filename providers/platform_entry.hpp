// SPDX-License-Identifier: Apache-2.0
// PlatformEntry: what this program has of one platform, but for its simulated machine
// (providers/simulated). A new platform is a folder with an entry.cpp, a line here and one in
// builtin.cpp.
#pragma once

#include <optional>
#include <vector>

#include "engine/platform/host_platform.hpp"
#include "engine/provider/provider.hpp"
#include "providers/parsers.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers {

struct PlatformEntry {
  const platform::HostPlatform& machine;
  std::vector<Provider> kinds;
  // Of its tools, for `fabric parse`.
  std::vector<Parser> parsers;
  // Facts of a node that a document can have; null: not read.
  std::optional<SeenNode> (*see)(const NodeFacts& facts) = nullptr;
};

const std::vector<PlatformEntry>& platform_entries();

PlatformEntry cumulus_entry();
PlatformEntry esx_classic_entry();
PlatformEntry esxi_entry();
PlatformEntry linux_entry();
PlatformEntry mlnx_os_entry();
PlatformEntry nvos_entry();

}  // namespace fabric::providers
