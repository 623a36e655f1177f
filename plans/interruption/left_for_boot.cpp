// SPDX-License-Identifier: Apache-2.0
#include "plans/interruption/left_for_boot.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/base/parallel.hpp"
#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/pending_boot.hpp"

namespace fabric::plans {

namespace {

constexpr RuleInfo kLeftForBootRules[] = {
    {"boot-activates",
     Severity::warning,
     RuleStage::plan,
     "On a node that the plan reboots another change waits for the next boot, and the document "
     "does not name it: a setting of a card, a newer kernel, a file of the network that was "
     "changed since the last boot. It takes effect with the same boot, and may change how the card "
     "or the host works.",
     "E-mlxconfig-layers: mlxconfig's columns Current and Next Boot; E-pending-boot: proc(5), "
     "/proc/stat; Ubuntu, update-notifier",
     "Name the setting in `firmware.params` with the wanted value, or set it back before the plan "
     "is applied. Look through the files. If the kernel of the node changes, boot the node by "
     "itself first."},
};

// "SRIOV_EN: 0 -> 1"
std::string change_text(const std::string& name, const LayeredReading& waiting) {
  const auto text = [](const std::optional<Reading>& reading) {
    return reading ? reading->text() : std::string{"unknown"};
  };
  return fmt::format("{}: {} -> {}", name, text(waiting.running), text(waiting.next_boot));
}

// The changes that the hosts themselves report, once for each node.
void name_pending(
    const std::set<NodeName>& reboots,
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    Diagnostics& diagnostics) {
  std::set<NodeName> told;
  for (const Resource& resource : resources) {
    const NodeName& node = resource.address.node;
    const auto observed = snapshot.nodes.find(node);
    if (!reboots.contains(node) || observed == snapshot.nodes.end() || !told.insert(node).second)
      continue;
    const std::vector<std::string> pending = pending_at_boot(observed->second.facts);
    if (pending.empty()) continue;
    const About about{diagnostics, node};
    diagnostics.warning(
        "boot-activates",
        resource.origin,
        fmt::format(
            "{}: the reboot of this plan also activates changes that the document does not name: "
            "{}",
            node.str(),
            join(pending, "; ")));
  }
}

}  // namespace

RuleRows left_for_boot_rules() {
  return kLeftForBootRules;
}

void name_left_for_boot(
    const std::set<NodeName>& reboots,
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    const Registry& registry,
    Diagnostics& diagnostics) {
  name_pending(reboots, resources, snapshot, diagnostics);
  std::vector<std::vector<std::string>> found(resources.size());
  for_each_index(resources.size(), [&](std::size_t index) {
    const Resource& resource = resources[index];
    const Provider* provider = registry.find(resource);
    const auto observed = snapshot.nodes.find(resource.address.node);
    if (!reboots.contains(resource.address.node) || provider == nullptr ||
        observed == snapshot.nodes.end())
      return;
    for (const auto& [name, waiting] : provider->waiting(resource, observed->second.facts))
      found[index].push_back(change_text(name, waiting));
  });
  for (std::size_t index = 0; index < resources.size(); ++index) {
    const Resource& resource = resources[index];
    const NodeName& node = resource.address.node;
    const std::vector<std::string>& changes = found[index];
    if (changes.empty()) continue;
    const About about{diagnostics, node};
    diagnostics.warning(
        "boot-activates",
        resource.origin,
        fmt::format(
            "{}: the reboot of this plan also activates changes that were left for the next boot "
            "of {}: {}",
            node.str(),
            resource.address.name,
            join(changes, ", ")));
  }
}

namespace {

bool is_a_switch(const FabricSpec& spec, const NodeName& node) {
  const auto found = spec.nodes.find(node);
  return found != spec.nodes.end() && is_switch(found->second.platform.value);
}

// For each switch, the hosts at the other ends of its cables.
std::map<NodeName, std::set<NodeName>> cabled_hosts(const FabricSpec& spec) {
  std::map<NodeName, std::set<NodeName>> hosts;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      for (const auto& [mine, other] :
           {std::pair{&cable.a.value, &cable.b.value}, std::pair{&cable.b.value, &cable.a.value}}) {
        if (is_a_switch(spec, mine->node) && !is_a_switch(spec, other->node))
          hosts[mine->node].insert(other->node);
      }
    }
  }
  return hosts;
}

}  // namespace

std::map<NodeName, std::set<NodeName>> hosts_behind(
    const std::set<ResourceAddress>& disturbed,
    const std::vector<Resource>& resources,
    const std::set<NodeName>& reboots,
    const FabricSpec& spec,
    const Down& down) {
  const std::map<NodeName, std::set<NodeName>> cabled = cabled_hosts(spec);
  std::map<NodeName, std::set<NodeName>> behind;
  for (const auto& [node, hosts] : cabled)
    if (reboots.contains(node)) behind[node] = hosts;
  for (const ResourceAddress& address : disturbed) {
    const auto hosts = cabled.find(address.node);
    if (hosts != cabled.end() && address.kind == kinds::kSubnetManager)
      behind[address.node].insert(hosts->second.begin(), hosts->second.end());
  }
  for (const Resource& resource : resources) {
    const NodeName& host = resource.address.node;
    if (is_a_switch(spec, host)) continue;
    std::vector<ResourceAddress> carriers = resource.after;
    for (const Value& address : resource.bound_list(keys::kInterruptedBy))
      carriers.push_back(*ResourceAddress::parse(to_text(address)));
    for (const ResourceAddress& before : carriers) {
      if (is_a_switch(spec, before.node) && disturbed.contains(before))
        behind[before.node].insert(host);
    }
  }
  for (auto& [node, hosts] : behind)
    std::erase_if(hosts, [&down](const NodeName& host) { return down.contains(host); });
  std::erase_if(behind, [](const auto& entry) { return entry.second.empty(); });
  return behind;
}

}  // namespace fabric::plans
