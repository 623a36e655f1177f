// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/layers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/model/names.hpp"

namespace fabric {

void Layers::select_member(std::size_t member) {
  for (Layer& layer : layers_)
    layer.member = member;
}

Layer Layers::value(std::string_view key) const {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    const yaml::Node* found = layer->node->find(key);
    if (found == nullptr || found->kind == yaml::Kind::null) continue;
    Layer value = *layer;
    value.node = found;
    return value;
  }
  return {};
}

Layers Layers::section(std::string_view key) const {
  Layers section;
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    const yaml::Node* found = layer->node->find(key);
    if (found == nullptr || found->kind == yaml::Kind::null) continue;
    if (!found->is_mapping()) break;
    Layer part = *layer;
    part.node = found;
    section.layers_.push_back(part);
  }
  std::reverse(section.layers_.begin(), section.layers_.end());
  return section;
}

std::vector<NodeKey> read_node_keys(const yaml::Node& mapping, Findings& findings) {
  std::vector<NodeKey> keys;
  keys.reserve(mapping.entries.size());
  for (const yaml::Entry& entry : mapping.entries) {
    Result<NodeSet> members = NodeSet::parse(entry.key);
    if (members) {
      keys.push_back({&entry, std::move(members).value()});
    } else {
      findings.error("bad-node-set", entry.key_range, members.error().message);
    }
  }
  return keys;
}

bool may_be_named(
    std::string_view what, std::string_view name, SourceRange range, Findings& findings) {
  const std::string wrong = wrong_in_name(name);
  if (wrong.empty()) return true;
  findings.error("wrong-type", range, fmt::format("'{}' is no {} name: {}", name, what, wrong))
      .with_help(
          "a name has up to 63 letters, digits, '-' and '_', and begins with a letter or a digit");
  return false;
}

namespace {

// NOLINTNEXTLINE(misc-no-recursion): as deep as the document, which limits::kNestingDepth bounds.
std::size_t tree_size(const yaml::Node& node) {
  std::size_t size = 1;
  for (const yaml::Node& item : node.items)
    size += tree_size(item);
  for (const yaml::Entry& entry : node.entries)
    size += tree_size(entry.value);
  return size;
}

}  // namespace

std::size_t expanded_size(const Layers& node) {
  constexpr std::size_t kAdapterItself = 10;  // an adapter's values, by default
  std::size_t size = kAdapterItself;
  for (const Layer& layer : node.all()) {
    for (const yaml::Entry& entry : layer.node->entries) {
      if (entry.key != "adapters") size += tree_size(entry.value);
    }
  }
  const Layers adapters = node.section("adapters");
  for (const Layer& layer : adapters.all()) {
    for (const yaml::Entry& entry : layer.node->entries) {
      const Result<NodeSet> names = NodeSet::parse(entry.key);
      const std::size_t count = names ? names->size() : 1;
      size += count * (kAdapterItself + tree_size(entry.value));
    }
  }
  return size;
}

NodeLayering::NodeLayering(const yaml::Node& document) : defaults_{document.find("defaults")} {
  const yaml::Node* profiles = document.find("profiles");
  if (profiles == nullptr) return;
  for (const yaml::Entry& entry : profiles->entries) {
    profiles_.emplace(entry.key, &entry.value);
    profile_names_.push_back(entry.key);
  }
}

Layers NodeLayering::layers_of(const NodeKey& key, Findings& findings) const {
  const yaml::Node& node = key.entry->value;
  Layers layers;
  if (defaults_ != nullptr) {
    layers.push({defaults_, LayerKind::defaults, {}, &key.members, 0});
  }
  const yaml::Node* list = node.find("profiles");
  if (list == nullptr && defaults_ != nullptr) list = defaults_->find("profiles");
  if (list != nullptr) {
    for (const yaml::Node& item : list->items) {
      if (!item.is_scalar()) continue;
      const auto profile = profiles_.find(item.text);
      if (profile == profiles_.end()) {
        findings
            .error(
                "profile-unknown", item.range, fmt::format("there is no profile '{}'", item.text))
            .with_help(findings.did_you_mean(item.text, profile_names_));
        for (std::size_t i = 0; i < key.members.size(); ++i)
          findings.blame(key.members.at(i), item.range);
      } else {
        layers.push({profile->second, LayerKind::profile, profile->first, &key.members, 0});
      }
    }
  }
  layers.push({&node, LayerKind::node, {}, &key.members, 0});
  return layers;
}

namespace {

// The adapters of one layer: each name with its key, as `duplicate-key` wants both places.
void add_adapter_key(
    const Layer& layer,
    const NodeKey& key,
    std::map<std::string, SourceRange>& named,
    AdapterLayers& result,
    Findings& findings) {
  const bool is_set = key.members.group_count() > 0;
  if (is_set) result.keys.push_back(key.members);
  for (std::size_t i = 0; i < key.members.size(); ++i) {
    const std::string name = key.members.at(i);
    const auto [first, is_new] = named.try_emplace(name, key.entry->key_range);
    if (!is_new) {
      findings
          .error(
              "duplicate-key",
              key.entry->key_range,
              fmt::format("the adapter '{}' is given twice", name))
          .with_note(first->second, "first given here");
      continue;
    }
    Layer adapter = layer;
    adapter.node = &key.entry->value;
    if (is_set) {
      adapter.key = &result.keys.back();
      adapter.member = i;
    }
    AdapterLayers::Adapter& slot = result.adapters[name];
    slot.range = key.entry->key_range;
    slot.layers.push(adapter);
  }
}

}  // namespace

AdapterLayers adapter_layers(const Layers& node, Findings& findings) {
  AdapterLayers result;
  const Layers adapters = node.section("adapters");
  for (const Layer& layer : adapters.all()) {
    std::map<std::string, SourceRange> named;
    for (const NodeKey& key : read_node_keys(*layer.node, findings)) {
      add_adapter_key(layer, key, named, result, findings);
    }
  }
  return result;
}

}  // namespace fabric
