#include "plans/interruption/left_for_boot.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::plans {

namespace {

constexpr RuleInfo kRules[] = {
    {"boot-activates",
     Severity::warning,
     RuleStage::plan,
     "The plan reboots a node on which somebody has set something for the next boot that the "
     "document does not name. It takes effect with the same boot, and may change what the card or "
     "the host does.",
     "E-mlxconfig-layers: mlxconfig's columns Current and Next Boot",
     "Name the setting in `firmware.params` with the value that is wanted, or set it back before "
     "the plan is applied."},
};

// "SRIOV_EN: 0 -> 1"
std::string change_text(const std::string& name, const LayeredReading& waiting) {
  const auto text = [](const std::optional<Reading>& reading) {
    return reading ? reading->text() : std::string{"unknown"};
  };
  return fmt::format("{}: {} -> {}", name, text(waiting.running), text(waiting.next_boot));
}

}  // namespace

RuleRows left_for_boot_rules() {
  return kRules;
}

void name_left_for_boot(
    const std::set<NodeName>& reboots,
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    const Registry& registry,
    Diagnostics& diagnostics) {
  for (const Resource& resource : resources) {
    const NodeName& node = resource.address.node;
    const Provider* provider = registry.find(resource);
    const auto observed = snapshot.nodes.find(node);
    if (!reboots.contains(node) || provider == nullptr || observed == snapshot.nodes.end())
      continue;
    std::vector<std::string> changes;
    for (const auto& [name, waiting] : provider->waiting(resource, observed->second.facts))
      changes.push_back(change_text(name, waiting));
    if (changes.empty()) continue;
    const About about{diagnostics, node};
    diagnostics.warning(
        "boot-activates",
        resource.origin,
        fmt::format(
            "{}: the reboot of this plan also activates what somebody left for the next boot of "
            "{}: {}",
            node.str(),
            resource.address.name,
            join(changes, ", ")));
  }
}

}  // namespace fabric::plans
