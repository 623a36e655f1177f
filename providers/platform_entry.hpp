// SPDX-License-Identifier: Apache-2.0
// PlatformEntry: the parts of this program for one platform, without its simulated machine
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
  // The parsers of the platform's tools, for `fabric parse`.
  std::vector<Parser> parsers;
  // The facts of a node that can be written into a document; null: not read.
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
