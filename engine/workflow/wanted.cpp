// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/wanted.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/model/node_set.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/model/topology/failure_domains.hpp"
#include "engine/provider/disruption_hooks.hpp"
#include "engine/remote/shell.hpp"
#include "plans/refusal.hpp"
#include "providers/builtin.hpp"

namespace fabric::workflow {

namespace {

Result<std::set<std::string>> node_names(
    const FabricSpec& spec, std::string_view option, const std::string& limit) {
  std::vector<std::string> known;
  for (const auto& [name, node] : spec.nodes)
    known.push_back(name.str());
  std::set<std::string> names;
  for (const std::string& name : FABRIC_TRY(expand_name_list(limit))) {
    if (spec.find_node(name) == nullptr) {
      const std::string meant = nearest(name, known);
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: the document has no node '{}'{}",
              option,
              name,
              meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant))};
    }
    names.insert(name);
  }
  return names;
}

// The patience that the plan was given by --wait-for-cables.
std::optional<Duration> wait_for_cables_of(const plans::Plan& plan) {
  for (const plans::Action& action : plan.actions) {
    for (const Condition& condition : action.draft.postconditions) {
      if (condition.address.kind == "cable") return action.draft.timeout;
    }
  }
  return std::nullopt;
}

}  // namespace

void judge_platforms(Document& document) {
  Diagnostics& findings = document.loaded.diagnostics;
  if (findings.has_errors()) return;
  Registry registry;
  providers::add_builtin_providers(registry);
  document.loaded.spec.reached = registry.platforms();
  const std::vector<Resource> resources = expand(document.loaded.spec, findings);
  plans::refuse_missing(resources, registry, findings);
  findings.sort();
}

Desired Wanted::desired() const {
  return {
      .spec = document->spec(),
      .sources = document->sources,
      .registry = registry,
      .nodes = nodes,
      .resources = resources,
      .inputs = document->inputs,
      .diagnostics = diagnostics,
      .stage = stage,
      .limit = limit,
      .outside = outside,
      .own = own,
      .undone = undone.get(),
      .outputs_stay = outputs_stay};
}

namespace {

Result<void> take_offline(FabricSpec& spec, const NodeChoice& choice) {
  std::set<std::string> offline = choice.down;
  if (!choice.offline.empty())
    offline.merge(FABRIC_TRY(node_names(spec, "--offline", choice.offline)));
  for (auto& [name, node] : spec.nodes) {
    if (offline.contains(name.str())) node.state.value = NodeState::offline;
  }
  return {};
}

}  // namespace

std::vector<Resource> resources_within(
    const FabricSpec& spec, const std::vector<NodeName>& limit, std::vector<Resource> resources) {
  std::set<NodeName> switches;
  for (const NodeName& node : limit)
    if (is_switch(spec.nodes.at(node).platform.value)) switches.insert(node);
  const auto is_within = [&limit](const Resource& resource) {
    return std::ranges::binary_search(limit, resource.address.node);
  };
  std::map<NodeName, std::set<std::string>> carried;
  for (const Resource& resource : resources) {
    if (is_within(resource)) continue;
    for (const ResourceAddress& before : resource.after)
      if (switches.contains(before.node)) carried[resource.address.node].insert(before.str());
  }
  for (Resource& resource : resources) {
    const auto by = carried.find(resource.address.node);
    if (by == carried.end() || resource.address.kind != kinds::kDrain || !has_hooks(resource))
      continue;
    if (is_reached(spec, spec.nodes.at(resource.address.node)))
      resource.binding.emplace(keys::kInterruptedBy, List{by->second.begin(), by->second.end()});
  }
  std::erase_if(resources, [&](const Resource& resource) {
    return !is_within(resource) && !resource.binding.contains(keys::kInterruptedBy);
  });
  return resources;
}

Result<Wanted> want(std::unique_ptr<Document> given, const NodeChoice& choice) {
  Wanted wanted;
  wanted.document = std::move(given);
  const Document& document = *wanted.document;
  FabricSpec& spec = wanted.document->loaded.spec;
  providers::add_builtin_providers(wanted.registry);
  spec.reached = wanted.registry.platforms();
  if (!choice.limit.empty()) {
    for (const std::string& name : FABRIC_TRY(node_names(spec, "--limit", choice.limit)))
      wanted.limit.push_back(FABRIC_TRY(NodeName::parse(name)));
    std::sort(wanted.limit.begin(), wanted.limit.end());
  }
  if (const Result<void> told = take_offline(spec, choice); !told) return told.error();
  const auto included = [&](const NodeName& node) {
    return wanted.limit.empty() || std::ranges::binary_search(wanted.limit, node);
  };
  for (const auto& [name, node] : document.spec().nodes) {
    if (is_reached(document.spec(), node) && included(name)) wanted.nodes.push_back(name);
  }
  if (wanted.nodes.empty() && !wanted.limit.empty()) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "--limit {}: none of these nodes is asked: they are unmanaged or offline",
            choice.limit)};
  }
  wanted.resources = expand(document.spec(), wanted.diagnostics);
  if (!wanted.limit.empty()) {
    wanted.resources = resources_within(spec, wanted.limit, std::move(wanted.resources));
    wanted.outside = nodes_outside(spec, wanted.nodes, wanted.resources);
  }
  wanted.resources.shrink_to_fit();
  return wanted;
}

std::vector<NodeName> nodes_outside(
    const FabricSpec& spec,
    const std::vector<NodeName>& nodes,
    const std::vector<Resource>& resources) {
  const std::set<NodeName> within{nodes.begin(), nodes.end()};
  const FailureDomains domains{spec};
  std::set<std::string> shared;
  for (const NodeName& node : nodes)
    shared.insert(domains.of(node));
  std::set<NodeName> found;
  for (const Resource& resource : resources)
    found.insert(resource.address.node);
  // The whole of a set that has a node within the limit.
  const auto add = [&](const auto& set) {
    const bool meets =
        std::ranges::any_of(set, [&](const NodeName& each) { return within.contains(each); });
    if (meets) found.insert(set.begin(), set.end());
  };
  for (const Ring& ring : rings(spec))
    add(ring.nodes);
  for (const ManagerGroup& group : manager_groups(spec))
    add(group.nodes);
  for (const SwitchTie& tie : switch_ties(spec)) {
    if (tie.network.empty()) add(std::set<NodeName>{tie.node, tie.other});
  }
  std::vector<NodeName> outside;
  for (const auto& [name, node] : spec.nodes) {
    const bool counts = found.contains(name) || shared.contains(domains.of(name));
    if (counts && is_reached(spec, node) && !within.contains(name)) outside.push_back(name);
  }
  return outside;
}

namespace {

// The nodes of a missing permission.
std::vector<std::string> not_permitted(
    const plans::Permission& permission, const Allowed& allowed, bool all) {
  std::vector<std::string> missing;
  if (all) return missing;
  for (const std::string& node : permission.nodes) {
    const bool is_granted = allowed.document_counts &&
                            std::ranges::find(permission.granted, node) != permission.granted.end();
    const Result<NodeName> name = NodeName::parse(node);
    if (!is_granted && !(name && allowed.no_rollback.contains(*name))) missing.push_back(node);
  }
  return missing;
}

// Why a grant of the document does not count; "" = the document grants nothing.
std::string why_not_granted(const plans::Permission& permission) {
  return permission.granted.empty() ? ""
                                    : "; a grant of the document is valid in a plan file that "
                                      "--require-signature accepts, or where a person answers yes";
}

}  // namespace

Result<void> check_permissions(const plans::Plan& plan, const Allowed& allowed) {
  const plans::Permissions& needed = plan.permissions;
  const Allowed of_path{.document_counts = allowed.document_counts};
  if (const std::vector<std::string> nodes =
          not_permitted(needed.management_path, of_path, allowed.management_path);
      !nodes.empty()) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "the plan touches the path of the SSH session to {}; nothing was changed "
            "(--allow-mgmt-path allows it{})",
            fmt::join(nodes, ", "),
            why_not_granted(needed.management_path))};
  }
  const std::vector<std::string> missing = not_permitted(needed.no_rollback, allowed, false);
  if (missing.empty()) return {};
  const std::string nodes = fold(missing);
  return Error{
      ErrorCode::invalid,
      fmt::format(
          "the plan may cut off {}, and nothing there would roll that back; nothing was changed "
          "(--allow-no-rollback {} allows it{})",
          nodes,
          remote::quote(nodes),
          why_not_granted(needed.no_rollback))};
}

Result<std::set<NodeName>> chosen_nodes(
    const FabricSpec& spec, std::string_view option, const std::string& set) {
  std::set<NodeName> nodes;
  for (const std::string& name : FABRIC_TRY(node_names(spec, option, set)))
    nodes.insert(FABRIC_TRY(NodeName::parse(name)));
  return nodes;
}

void want_cables(Wanted& wanted, Duration wait) {
  const std::vector<Resource> all = wanted.resources;
  for (Resource& cable : cables_to_connect(wanted.document->spec(), all, wait)) {
    const bool asked = std::ranges::find(wanted.nodes, cable.address.node) != wanted.nodes.end();
    if (asked) wanted.resources.push_back(std::move(cable));
  }
  std::ranges::sort(
      wanted.resources, [](const Resource& a, const Resource& b) { return a.address < b.address; });
}

Result<void> check_inputs(const std::vector<plans::InputFile>& inputs, const Document& document) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const plans::InputFile& expected = inputs[i];
    const plans::InputFile& found = document.inputs[i];
    if (expected.sha256 == found.sha256) continue;
    return Error{
        ErrorCode::stale,
        fmt::format(
            "{} has changed since the plan was made: expected {}, found {}; plan again",
            expected.path,
            expected.sha256,
            found.sha256)};
  }
  return {};
}

void want_as_planned(Wanted& wanted, const plans::Plan& plan) {
  wanted.stage = plan.stage;
  if (const std::optional<Duration> wait = wait_for_cables_of(plan); wait)
    want_cables(wanted, *wait);
}

}  // namespace fabric::workflow
