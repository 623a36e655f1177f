#include "engine/workflow/wanted.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/model/node_set.hpp"
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

// What the plan was told by --wait-for-cables.
std::optional<Duration> wait_for_cables_of(const plans::Plan& plan) {
  for (const plans::Action& action : plan.actions) {
    for (const Condition& condition : action.draft.postconditions) {
      if (condition.address.kind == "cable") return action.draft.timeout;
    }
  }
  return std::nullopt;
}

}  // namespace

Desired Wanted::desired() const {
  return {
      document->spec(),
      document->sources,
      registry,
      nodes,
      resources,
      document->inputs,
      diagnostics,
      stage,
      allow_no_rollback};
}

Result<Wanted> want(std::unique_ptr<Document> given, const std::string& limit) {
  Wanted wanted;
  wanted.document = std::move(given);
  const Document& document = *wanted.document;
  providers::add_builtin_providers(wanted.registry);
  wanted.document->loaded.spec.reached = wanted.registry.platforms();
  std::set<std::string> names;
  if (!limit.empty()) names = FABRIC_TRY(node_names(document.spec(), "--limit", limit));
  const auto included = [&](const NodeName& node) {
    return limit.empty() || names.contains(node.str());
  };
  for (const auto& [name, node] : document.spec().nodes) {
    if (is_reached(document.spec(), node) && included(name)) wanted.nodes.push_back(name);
  }
  for (Resource& resource : expand(document.spec(), wanted.diagnostics)) {
    if (included(resource.address.node)) wanted.resources.push_back(std::move(resource));
  }
  return wanted;
}

Result<void> allow_no_rollback(Wanted& wanted, const std::string& list) {
  if (list.empty()) return {};
  for (const std::string& name :
       FABRIC_TRY(node_names(wanted.document->spec(), "--allow-no-rollback", list)))
    wanted.allow_no_rollback.insert(FABRIC_TRY(NodeName::parse(name)));
  return {};
}

void want_cables(Wanted& wanted, Duration wait) {
  const std::vector<Resource> all = wanted.resources;
  for (Resource& cable : cables_to_connect(wanted.document->spec(), all, wait)) {
    const bool asked = std::find(wanted.nodes.begin(), wanted.nodes.end(), cable.address.node) !=
                       wanted.nodes.end();
    if (asked) wanted.resources.push_back(std::move(cable));
  }
  std::sort(
      wanted.resources.begin(), wanted.resources.end(), [](const Resource& a, const Resource& b) {
        return a.address < b.address;
      });
}

Result<void> check_inputs(const plans::Plan& plan, const Document& document) {
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const plans::InputFile& expected = plan.inputs[i];
    const plans::InputFile& found = document.inputs[i];
    if (expected.sha256 == found.sha256) continue;
    return Error{
        ErrorCode::stale,
        fmt::format(
            "{} has changed since the plan was made: expected {}, found {}",
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
