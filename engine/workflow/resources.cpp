// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/resources.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/orphan.hpp"
#include "engine/provider/peers.hpp"
#include "engine/workflow/wire_reading.hpp"

namespace fabric::workflow {

namespace {

// Leaves out resources of nodes that are only observed, and those that another document has made
// there.
std::vector<Resource> writable(const FabricSpec& spec, std::vector<Resource> orphans) {
  std::erase_if(orphans, [&spec](const Resource& orphan) {
    const auto fabric = orphan.binding.find(keys::kFabric);
    return spec.nodes.at(orphan.address.node).state.value == NodeState::observe ||
           (fabric != orphan.binding.end() && to_text(fabric->second) != spec.name.value);
  });
  return orphans;
}

bool is_lossless_switch(const Resource& resource) {
  return resource.address.kind == kinds::kQos && resource.address.name == keys::kSwitchQos;
}

// Keeps those lossless switches that fabric's files at the hosts behind them explain: a switch does
// not show what made it so. Where those files go, the mode of the switch goes before them, so that
// an interrupted run finds the files again. Every other lossless switch stays as it is.
std::vector<Resource> lossless_of_hosts(const FabricSpec& spec, std::vector<Resource> orphans) {
  std::map<ResourceAddress, Resource*> of_hosts;
  for (Resource& orphan : orphans) {
    if (orphan.address.kind == kinds::kQos && !is_lossless_switch(orphan))
      of_hosts.emplace(orphan.address, &orphan);
  }
  std::set<NodeName> switches;
  for (const Resource& orphan : orphans)
    if (is_lossless_switch(orphan)) switches.insert(orphan.address.node);
  std::set<NodeName> going;
  const auto look = [&](const PortRef& host, const PortRef& other) {
    const auto found = of_hosts.find(
        {host.node, std::string{kinds::kQos}, fmt::format("{}.{}", host.adapter, host.port)});
    if (found == of_hosts.end() || !switches.contains(other.node)) return;
    going.insert(other.node);
    found->second->after.push_back(
        {other.node, std::string{kinds::kQos}, std::string{keys::kSwitchQos}});
  };
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      look(cable.a.value, cable.b.value);
      look(cable.b.value, cable.a.value);
    }
  }
  std::erase_if(orphans, [&going](const Resource& orphan) {
    return is_lossless_switch(orphan) && !going.contains(orphan.address.node);
  });
  return orphans;
}

std::set<std::string> names_in(const Map& binding, std::string_view key) {
  std::set<std::string> names;
  for (const Value& each : value_at(binding, key).items())
    names.insert(to_text(each));
  return names;
}

Map take_map(Map& binding, std::string_view key) {
  const auto found = binding.find(key);
  if (found == binding.end()) return {};
  Map map = found->second.as_map() == nullptr ? Map{} : *found->second.as_map();
  binding.erase(found);
  return map;
}

// "HOST_CHAINING_MODE=1 (before: 0)"
std::string staying_text(const std::string& name, const Value& present, const Value& former) {
  return fmt::format(
      "{}={} (before: {})",
      name,
      present.is_null() ? "?" : to_text(present),
      former.is_null() ? "hidden by the card" : to_text(former));
}

// Settings that the document no longer asks for: they get their former values where the document
// has them restored; otherwise they stay, and are named.
void give_back(const FabricSpec& spec, Resource& orphan, Diagnostics& diagnostics) {
  const NodeName& node = orphan.address.node;
  const bool all = spec.nodes.at(node).restore.value;
  const std::set<std::string> some = names_in(orphan.binding, keys::kRestore);
  const Map former = take_map(orphan.binding.edit(), keys::kFormer);
  const Map present = take_map(orphan.binding.edit(), keys::kPresent);
  orphan.binding.erase(std::string{keys::kRestore});
  Map back;
  std::vector<std::string> staying;
  bool may_be_restored = false;
  for (const auto& [name, value] : former) {
    const auto now = present.find(name);
    const Value has = now == present.end() ? Value{} : now->second;
    if ((all || some.contains(name)) && !value.is_null()) {
      back.emplace(name, value);
      continue;
    }
    orphan.desired.erase(name);
    if (has == value) continue;
    staying.push_back(staying_text(name, has, value));
    may_be_restored = may_be_restored || !value.is_null();
  }
  if (!back.empty()) orphan.binding.emplace(keys::kGiveBack, std::move(back));
  if (staying.empty()) return;
  Diagnostic& found = diagnostics.warning(
      "settings-stay",
      spec.nodes.at(node).range,
      fmt::format(
          "{}: {} keeps settings that fabric made and the document no longer asks for: {}",
          node.str(),
          orphan.address.name,
          join(staying, ", ")));
  found.about(node);
  if (may_be_restored)
    found.with_help(fmt::format(
        "nodes.{}.restore: true brings the former values back; settings in `firmware.params` stay",
        node.str()));
}

void give_back(const FabricSpec& spec, std::vector<Resource>& orphans, Diagnostics& diagnostics) {
  for (Resource& orphan : orphans) {
    if (orphan.binding.contains(keys::kFormer)) give_back(spec, orphan, diagnostics);
  }
  std::erase_if(orphans, [](const Resource& orphan) { return orphan.desired.empty(); });
}

}  // namespace

PreparedResources prepare_resources(
    const Desired& desired,
    const std::vector<NodeFacts>& facts,
    const BindFiles& bind_files,
    Diagnostics& diagnostics) {
  PreparedResources prepared;
  prepared.orphans = lossless_of_hosts(
      desired.spec,
      writable(desired.spec, find_orphans(desired.resources, facts, desired.registry)));
  give_back(desired.spec, prepared.orphans, diagnostics);
  prepared.resources = with_orphans(desired.resources, prepared.orphans, desired.registry);
  prepared.found_out = port_guid_bindings(
      prepared.resources, facts, desired.registry, guids_in_subnets(desired, facts));
  if (!desired.limit.empty()) {
    for (auto& [address, found] : prepared.found_out)
      found.emplace(keys::kPartlyRead, true);
  }
  if (bind_files) {
    for (auto& [address, found] : bind_files(prepared.resources, diagnostics))
      prepared.found_out[address].merge(found);
  }
  prepared.resources = with_bindings(std::move(prepared.resources), prepared.found_out);
  return prepared;
}

std::vector<Resource> planned_resources(const Desired& desired, const plans::Plan& plan) {
  return with_bindings(
      with_orphans(desired.resources, plan.orphans, desired.registry), plan.bindings);
}

discovery::Snapshot observe(
    const Desired& desired, std::vector<NodeFacts> facts, Diagnostics& diagnostics) {
  const Bindings guids = port_guid_bindings(
      desired.resources, facts, desired.registry, guids_in_subnets(desired, facts));
  const std::vector<Resource> resources = with_bindings(desired.resources, guids);
  return discovery::observe(resources, std::move(facts), desired.registry, diagnostics);
}

}  // namespace fabric::workflow
