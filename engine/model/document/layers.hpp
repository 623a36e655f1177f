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

// A value with its context; `node` null is "nowhere given".
struct Layer {
  const yaml::Node* node = nullptr;
  LayerKind kind = LayerKind::document;
  std::string_view profile;      // its name, of LayerKind::profile
  const NodeSet* key = nullptr;  // the key whose members the value zips with; null: with none
  std::size_t member = 0;        // of the key

  explicit operator bool() const { return node != nullptr; }
};

class Layers {
 public:
  Layers() = default;
  // A part of the document that nothing is merged under.
  explicit Layers(const yaml::Node& node) { push({&node, LayerKind::document, {}, nullptr, 0}); }

  // On top of those that are there.
  void push(const Layer& layer) { layers_.push_back(layer); }
  // The same layers for another member of the node set.
  void select_member(std::size_t member);

  bool empty() const { return layers_.empty(); }
  // The lowest first.
  const std::vector<Layer>& all() const& { return layers_; }
  const std::vector<Layer>& all() && = delete;  // would dangle in a range-for
  // The value that wins; a key without a value gives none.
  Layer value(std::string_view key) const;
  // The mapping at `key` as its own layers.
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

// Whether a member of such a key is a name (wrong_in_name) of what it is for, as "network"; else
// reported at `range`.
bool may_be_named(
    std::string_view what, std::string_view name, SourceRange range, Findings& findings);

// How many values one node of these layers comes to, the sets in its adapters' keys counted out;
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
    SourceRange range;  // of the key that is nearest to the node
    Layers layers;
  };
  std::map<std::string, Adapter> adapters;
  std::deque<NodeSet> keys;  // that `adapters` points to
};
// An adapter that one layer names twice is reported as `duplicate-key`.
AdapterLayers adapter_layers(const Layers& node, Findings& findings);

}  // namespace fabric
