// SPDX-License-Identifier: Apache-2.0
// Layers: one part of a node seen through all that is merged into it (defaults, then profiles, then
// the node itself) without merging anything: mappings are looked up layer by layer, the last
// layer that gives a value wins. Nothing is copied, so every value keeps its place and its origin,
// and the 10,000 members of a node set share one tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/model/findings.hpp"
#include "engine/model/node_set.hpp"
#include "engine/yaml/node.hpp"

namespace fabric {

enum class LayerKind : std::uint8_t { document, defaults, profile, node };

// A value with its context; a null `node`: no layer gives the value.
struct Layer {
  const yaml::Node* node = nullptr;
  LayerKind kind = LayerKind::document;
  std::string_view profile;      // its name, for LayerKind::profile
  const NodeSet* key = nullptr;  // the node set that the value zips with, or null
  std::size_t member = 0;        // index in `key`

  explicit operator bool() const { return node != nullptr; }
};

class Layers {
 public:
  Layers() = default;
  // The single layer of a part of the document without any merging.
  explicit Layers(const yaml::Node& node) { push({&node, LayerKind::document, {}, nullptr, 0}); }

  // Adds a layer above all others.
  void push(const Layer& layer) { layers_.push_back(layer); }
  // Selects the same layers for another member of the node set.
  void select_member(std::size_t member);

  bool empty() const { return layers_.empty(); }
  // All layers, the lowest first.
  const std::vector<Layer>& all() const& { return layers_; }
  const std::vector<Layer>& all() && = delete;  // would dangle in a range-for
  // The value of the highest layer with one; a key without a value gives none.
  Layer value(std::string_view key) const;
  // The layers of the mapping at `key`.
  Layers section(std::string_view key) const;

 private:
  std::vector<Layer> layers_;
};

// One key of `nodes`, with the nodes that it stands for.
struct NodeKey {
  const yaml::Entry* entry = nullptr;
  NodeSet members;
};

// The keys of a mapping as node sets; a broken one is reported as `bad-node-set` and left out.
std::vector<NodeKey> read_node_keys(const yaml::Node& mapping, Findings& findings);

// True if a member of such a key is a valid name (wrong_in_name) for `what`, as "network"; else
// reports it at `range`.
bool may_be_named(
    std::string_view what, std::string_view name, SourceRange range, Findings& findings);

// The number of values of one node of these layers, with the sets in its adapters' keys expanded;
// for Findings::may_expand.
std::size_t expanded_size(const Layers& node);

// The layers under every node of a document.
class NodeLayering {
 public:
  // REQUIRES: `document` outlives the object and all layers made by it.
  explicit NodeLayering(const yaml::Node& document);

  // The layers of member 0 of `key`. An unknown profile is reported as `profile-unknown`.
  // REQUIRES: `key` outlives the layers.
  Layers layers_of(const NodeKey& key, Findings& findings) const;

 private:
  const yaml::Node* defaults_ = nullptr;
  std::unordered_map<std::string_view, const yaml::Node*> profiles_;
  std::vector<std::string> profile_names_;
};

// The adapters of a node, sets in their keys expanded, by name.
struct AdapterLayers {
  struct Adapter {
    SourceRange range;  // place of its key in the highest layer
    Layers layers;
  };
  std::map<std::string, Adapter> adapters;
  std::deque<NodeSet> keys;  // referred to by `adapters`
};
// Reports an adapter that one layer names twice as `duplicate-key`.
AdapterLayers adapter_layers(const Layers& node, Findings& findings);

}  // namespace fabric
