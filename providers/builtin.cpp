// SPDX-License-Identifier: Apache-2.0
#include "providers/builtin.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
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

namespace {

const PlatformEntry* entry_of(const NodeFacts& facts) {
  const auto& all = platform_entries();
  const auto entry = std::find_if(all.begin(), all.end(), [&facts](const PlatformEntry& each) {
    return each.machine.id() == facts.platform;
  });
  return entry == all.end() ? nullptr : &*entry;
}

}  // namespace

std::optional<SeenNode> see_node(const NodeFacts& facts) {
  const PlatformEntry* entry = entry_of(facts);
  return entry == nullptr || entry->see == nullptr ? std::nullopt : entry->see(facts);
}

std::string own_name(const NodeFacts& facts) {
  const PlatformEntry* entry = entry_of(facts);
  const std::string whole = entry == nullptr ? "" : entry->machine.identity(facts).hostname;
  const std::string label = whole.substr(0, whole.find('.'));
  const std::string& asked = facts.node.str();
  const bool tells = !label.empty() && label != "localhost" && NodeName::parse(label);
  // The case is as it was asked.
  return !tells || to_lower(label) == to_lower(asked) ? asked : label;
}

}  // namespace fabric::providers
