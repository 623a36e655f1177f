// SPDX-License-Identifier: Apache-2.0
// The drain of a node: the desired state is "not drained", except while a run disrupts it. A
// platform with a maintenance mode is in it during that time, with hooks or without.
#include "engine/model/expand/parts.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/value/lists.hpp"

namespace fabric::expansion {

void expand_hooks(NodeResources& node) {
  const HooksSpec& hooks = hooks_of(node.scope().spec(), node.node());
  const Sourced<Platform>& platform = node.node().platform;
  const bool has_maintenance = traits(platform.value).maintenance_mode;
  if (hooks.empty() && !has_maintenance) return;
  const auto& before = hooks.before_disruption;
  const auto& after = hooks.after_disruption;
  const SourceRange origin = hooks.empty()         ? platform.range
                             : after.value.empty() ? before.range
                                                   : after.range;
  Resource resource = node.start(kinds::kDrain, has_maintenance ? "maintenance" : "hooks", origin);
  if (!before.value.empty()) resource.binding.emplace(keys::kBefore, to_list(before.value));
  if (!after.value.empty()) resource.binding.emplace(keys::kAfter, to_list(after.value));
  resource.binding.emplace(keys::kTimeoutMs, std::int64_t{hooks.timeout.value.count()});
  want(resource, "drained", false, origin, "no node stays drained once its disruption is over");
  node.put(std::move(resource));
}

}  // namespace fabric::expansion
