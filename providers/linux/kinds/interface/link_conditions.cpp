// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/link_conditions.hpp"

#include <optional>
#include <utility>

#include "providers/linux/kinds/interface/live_options.hpp"

namespace fabric::providers {

void want_persistent(ActionDraft& draft, const Change& change, const Observation& observation) {
  const bool removed = change.kind == ChangeKind::remove;
  for (const auto& [attribute, desired] : change.resource.desired) {
    const auto observed = observation.attributes.find(attribute);
    const bool layered =
        observed != observation.attributes.end() && observed->second.persistent.has_value();
    if (!layered) continue;
    draft.postconditions.push_back(
        {change.resource.address, attribute, Layer::persistent, removed ? Value{} : desired.value});
  }
}

void want_running(ActionDraft& draft, const Change& change, const LinkTarget& target) {
  for (const auto& [attribute, desired] : change.resource.desired) {
    std::optional<Value> value = desired.value;
    if (desired.value.is_null()) value = reset_to(change, target, attribute);
    if (value)
      draft.postconditions.push_back(
          {change.resource.address, attribute, Layer::running, *std::move(value)});
  }
}

void expect_running(ActionDraft& draft, const Change& change, const Observation& observation) {
  for (const std::string_view attribute : {"addresses", "gateway", "gateway6", "routes"}) {
    const auto observed = observation.attributes.find(attribute);
    if (observed == observation.attributes.end() || !observed->second.running) continue;
    const Reading& running = *observed->second.running;
    if (running.is_unknown()) continue;
    draft.preconditions.push_back(
        {change.resource.address,
         InternedText{attribute},
         Layer::running,
         running.value() == nullptr ? Value{} : *running.value()});
  }
}

void want_gone(
    ActionDraft& draft,
    const Change& change,
    const Observation& observation,
    const LinkOnNode& on_node,
    const FileTexts& files) {
  const LinkTarget& target = on_node.link.target;
  if (on_node.link.device.empty() || !on_node.backend.foreign(target, files).empty()) return;
  const bool is_port = target.kind == LinkKind::port;
  if (is_port && !on_node.backend.empties_ports(target, files)) return;
  for (const auto& [attribute, nothing] : change.resource.desired) {
    const auto observed = observation.attributes.find(attribute);
    const bool runs = observed != observation.attributes.end() && observed->second.running &&
                      observed->second.running->is_known();
    if (!runs || (is_port && attribute != "addresses")) continue;
    draft.postconditions.push_back(
        {change.resource.address, attribute, Layer::running, is_port ? Value{List{}} : Value{}});
  }
}

}  // namespace fabric::providers
