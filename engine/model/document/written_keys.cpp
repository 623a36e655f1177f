// SPDX-License-Identifier: Apache-2.0
// The keys of a node or a network, for rules that judge any of them (rules/platform_keys.cpp).
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/model/document/decode_parts.hpp"

namespace fabric {

namespace {

// Mappings whose keys are the author's: the names of the schema's mappings with free keys.
constexpr std::string_view kOfOwnNames[] = {
    "adapters",
    "addresses",
    "labels",
    "members",
    "modules",
    "names",
    "options",
    "params",
    "partitions",
    "port_guid",
    "segment",
    "sysctl",
    "vlans"};

bool asks_for_nothing(const yaml::Node& value) {
  if (value.is_scalar())
    return value.text == "false" || value.text == "auto" || value.text == "none";
  return value.items.empty() && value.is_sequence();
}

SourceRange place_of(const yaml::Entry& entry) {
  if (entry.value.is_mapping()) return entry.key_range;
  return entry.value.items.empty() ? entry.value.range : entry.value.items.front().range;
}

class Collector {
 public:
  explicit Collector(WrittenKeys& keys) : keys_{keys} {}

  // The highest layer first: what it decides, lower ones don't.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the document, which limits::kNestingDepth bounds.
  void add(
      const Layer& layer,
      const yaml::Node& mapping,
      const std::string& path,
      const std::string& own_path) {
    const std::string_view name = std::string_view{path}.substr(path.rfind('.') + 1);
    const bool is_free =
        std::find(std::begin(kOfOwnNames), std::end(kOfOwnNames), name) != std::end(kOfOwnNames);
    for (const yaml::Entry& entry : mapping.entries) {
      const yaml::Node& value = entry.value;
      const std::string own = own_path + '\n' + entry.key;
      if (value.kind == yaml::Kind::null && !is_free) continue;
      if (!value.is_mapping() && !decided_.insert(own).second) continue;
      if (decided_.contains(own) && value.is_mapping()) continue;
      const std::string key = fmt::format("{}.{}", path, is_free ? "*" : entry.key);
      const std::string text = value.is_scalar() ? value.text : "";
      if (!asks_for_nothing(value) && known_.insert(key + "=" + text).second)
        keys_.push_back({key, text, place_of(entry), layer.kind == LayerKind::node});
      if (value.is_mapping()) add(layer, value, key, own);
    }
  }

 private:
  WrittenKeys& keys_;
  std::set<std::string> decided_, known_;
};

}  // namespace

WrittenKeys written_keys(const Layers& section, std::string_view path) {
  WrittenKeys keys;
  Collector collector{keys};
  for (auto layer = section.all().rbegin(); layer != section.all().rend(); ++layer)
    collector.add(*layer, *layer->node, std::string{path}, "");
  return keys;
}

}  // namespace fabric
