// SPDX-License-Identifier: Apache-2.0
#include "engine/report/discover_json.hpp"

#include <utility>

namespace fabric::report {

namespace {

Value reading_value(const Reading& reading) {
  if (reading.is_unknown()) return Map{{"unknown", reading.why()}};
  const Value* value = reading.value();
  return value == nullptr ? Value{} : *value;
}

Value layers_value(const LayeredReading& reading) {
  Map layers;
  for (const Layer layer : {Layer::running, Layer::next_boot, Layer::persistent}) {
    const std::optional<Reading>& found = reading.layer(layer);
    if (found) layers.emplace(to_string(layer), reading_value(*found));
  }
  return layers;
}

Value identity_value(const discovery::ObservedNode& node) {
  const platform::Identity& identity = node.identity;
  Map value;
  const auto put = [&value](const char* key, const std::string& text) {
    if (!text.empty()) value.emplace(key, text);
  };
  put("machine_id", identity.machine_id);
  put("boot_id", identity.boot_id);
  put("hostname", identity.hostname);
  put("kernel", identity.kernel);
  put("os", identity.os_id);
  put("os_version", identity.os_version);
  put("host_key", node.facts.host_key_fingerprint);
  return value;
}

Value node_value(const discovery::ObservedNode& node, const Registry& registry) {
  Map value{{"reachable", node.facts.reachable()}};
  if (!node.facts.reachable()) {
    value.emplace("failure", node.facts.failure->message);
    return value;
  }
  value.emplace("identity", identity_value(node));
  Map inventory = discovery::inventory_of(node, registry);
  if (!inventory.empty()) value.emplace("inventory", std::move(inventory));
  Map resources;
  for (const auto& [address, observation] : node.observations) {
    Map attributes;
    for (const auto& [name, reading] : observation.attributes) {
      attributes.emplace(name, layers_value(reading));
    }
    resources.emplace(address.kind + "/" + address.name, std::move(attributes));
  }
  value.emplace("resources", std::move(resources));
  return value;
}

}  // namespace

Value discover_json(const discovery::Snapshot& snapshot, const Registry& registry) {
  Map nodes;
  for (const auto& [name, node] : snapshot.nodes)
    nodes.emplace(name.str(), node_value(node, registry));
  // A list in braces would copy all of it.
  Map result;
  result.emplace("nodes", std::move(nodes));
  return result;
}

void write_discover_json(
    const discovery::Snapshot& snapshot, const Registry& registry, JsonWriter& writer) {
  writer.begin_object();
  writer.key("nodes");
  writer.begin_object();
  for (const auto& [name, node] : snapshot.nodes)
    writer.member(name.str(), node_value(node, registry));
  writer.end_object();
  writer.end_object();
}

}  // namespace fabric::report
