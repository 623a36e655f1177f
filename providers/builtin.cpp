// SPDX-License-Identifier: Apache-2.0
#include "providers/builtin.hpp"

#include <algorithm>

#include "providers/platform_entry.hpp"

namespace fabric::providers {

const std::vector<PlatformEntry>& platform_entries() {
  static const std::vector<PlatformEntry> entries{
      linux_entry(),
      esxi_entry(),
      esx_classic_entry(),
      cumulus_entry(),
      nvos_entry(),
      mlnx_os_entry(),
  };
  return entries;
}

void add_builtin_providers(Registry& registry) {
  for (const PlatformEntry& entry : platform_entries()) {
    registry.add(entry.machine);
    for (std::unique_ptr<Provider>& each : entry.kinds())
      registry.add(entry.machine.id(), std::move(each));
  }
}

std::optional<SeenNode> see_node(const NodeFacts& facts) {
  const auto& all = platform_entries();
  const auto entry = std::find_if(all.begin(), all.end(), [&facts](const PlatformEntry& each) {
    return each.machine.id() == facts.platform;
  });
  return entry == all.end() || entry->see == nullptr ? std::nullopt : entry->see(facts);
}

}  // namespace fabric::providers
