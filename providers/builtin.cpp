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
    for (const Provider& each : entry.kinds)
      registry.add(entry.machine.id(), each);
  }
}

namespace {

const PlatformEntry* entry_of(const NodeFacts& facts) {
  const auto& all = platform_entries();
  const auto entry = std::ranges::find_if(
      all, [&facts](const PlatformEntry& each) { return each.machine.id() == facts.platform; });
  return entry == all.end() ? nullptr : &*entry;
}

}  // namespace

std::optional<SeenNode> see_node(const NodeFacts& facts) {
  const PlatformEntry* entry = entry_of(facts);
  std::optional<SeenNode> seen;
  if (entry != nullptr && entry->see != nullptr) seen = entry->see(facts);
  if (seen && seen->neighbours.empty()) {
    if (auto heard = entry->machine.neighbours(facts)) seen->neighbours = *std::move(heard);
    for (const Provider& kind : entry->kinds)
      if (auto heard = kind.neighbours(facts); heard && seen->neighbours.empty())
        seen->neighbours = *std::move(heard);
  }
  return seen;
}

Platform shown_platform(const NodeFacts& facts) {
  if (!facts.reachable()) return facts.answers_as.value_or(facts.platform);
  const platform::Identity who = platform_entries().front().machine.identity(facts);
  if (who.os_id.starts_with("cumulus")) return Platform::cumulus;
  if (who.os_id.starts_with("nvos")) return Platform::nvos;
  if (facts.platform != kUsualPlatform) return facts.platform;
  const std::optional<SeenNode> seen = see_node(facts);
  return seen && seen->node.adapters.empty() ? Platform::nvos : kUsualPlatform;
}

bool is_of_its_platform(const NodeFacts& facts) {
  if (!facts.reachable()) return false;
  if (facts.platform == Platform::esxi)
    return !entry_of(facts)->machine.identity(facts).os_id.empty();
  if (facts.platform != Platform::nvos) return true;
  const std::string* version = facts.output("nvue-version");
  return version != nullptr && version->find('{') != std::string::npos;
}

std::string own_name(const NodeFacts& facts) {
  const PlatformEntry* entry = entry_of(facts);
  const std::string whole = entry == nullptr ? "" : entry->machine.identity(facts).hostname;
  const std::string label = whole.substr(0, whole.find('.'));
  const std::string& asked = facts.node.str();
  const bool tells = !label.empty() && label != "localhost" && NodeName::parse(label);
  // In the spelling in which the node was asked for.
  return !tells || to_lower(label) == to_lower(asked) ? asked : label;
}

}  // namespace fabric::providers
