// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/drop_unsupported.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/model/expand/expand.hpp"
#include "engine/model/expand/refused.hpp"
#include "engine/provider/support.hpp"

namespace fabric::workflow {

namespace {

// The nodes as they are expanded, within --limit.
void expand_again(Wanted& wanted, const FabricSpec& spec) {
  std::set<NodeName> included;
  for (const Resource& resource : wanted.resources)
    included.insert(resource.address.node);
  wanted.diagnostics = {};
  wanted.resources = expand(spec, wanted.diagnostics);
  std::erase_if(wanted.resources, [&included](const Resource& resource) {
    return !included.contains(resource.address.node);
  });
}

}  // namespace

std::vector<std::string> drop_unsupported(Wanted& wanted) {
  FabricSpec& spec = wanted.document->loaded.spec;
  std::vector<std::string> said;
  const auto say = [&](const SourceRange& range, const std::string& written) {
    const SourceMap& sources = wanted.document->sources;
    std::string text = fmt::format(
        "{} ({}:{}) has no provider yet",
        written,
        sources.path(range.file),
        sources.position(range.file, range.begin).line);
    if (std::find(said.begin(), said.end(), text) == said.end()) said.push_back(std::move(text));
  };
  for (auto& [name, node] : spec.nodes) {
    if (!is_unsupported(spec, node)) continue;
    if (node.mlag) say(node.mlag->domain.range, "`mlag`");
    say(node.platform.range, fmt::format("platform {}", to_string(node.platform.value)));
    node.state.value = NodeState::observe;
  }
  if (!said.empty()) expand_again(wanted, spec);
  for (Resource& resource : wanted.resources) {
    if (resource.check_only || only_observed(resource)) continue;
    const std::vector<const Feature*> missing = missing_features(resource, wanted.registry);
    for (const Feature* feature : missing)
      say(feature->range, feature->written);
    const bool unknown = resource.features.empty() && wanted.registry.find(resource) == nullptr;
    if (unknown) say(resource.origin, resource.address.kind);
    if (unknown || !missing.empty()) resource.binding.insert_or_assign("observe", true);
  }
  return said;
}

}  // namespace fabric::workflow
