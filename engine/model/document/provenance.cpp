// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/provenance.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/endpoint.hpp"
#include "engine/model/document/layers.hpp"
#include "engine/model/document/provenance_parts.hpp"

namespace fabric {

namespace {

using Keys = std::vector<std::string>;

// NOLINTNEXTLINE(misc-no-recursion): as deep as the document, which limits::kNestingDepth bounds.
std::string render(const yaml::Node& node) {
  if (node.is_scalar()) return node.text;
  Keys parts;
  for (const yaml::Node& item : node.items)
    parts.push_back(render(item));
  for (const yaml::Entry& entry : node.entries) {
    parts.push_back(entry.key + ": " + render(entry.value));
  }
  if (node.is_sequence()) return "[" + join(parts, ", ") + "]";
  return node.is_mapping() ? "{" + join(parts, ", ") + "}" : "";
}

std::string origin_of(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::document:
      return "document";
    case LayerKind::defaults:
      return "defaults";
    case LayerKind::profile:
      return fmt::format("profile {}", layer.profile);
    case LayerKind::node:
      break;
  }
  const bool is_set = layer.key != nullptr && layer.key->group_count() > 0;
  return is_set ? fmt::format("node set {}", layer.key->text()) : "node";
}

// Whether the value at `keys` below a node zips with its key (docs/writing-a-document.md).
bool zips(const Keys& keys) {
  const std::string& last = keys.back();
  if (keys.size() == 1) return last == "address" || last == "host";
  if (keys.front() == "ssh") return last != "command";
  const bool is_selector =
      last == "pci" || last == "node_guid" || last == "mac" || last == "serial";
  return keys.size() == 3 && keys.front() == "adapters" && is_selector;
}

// Collects the values below some layers that stand at or below the keys asked for.
class Collector {
 public:
  Collector(std::string prefix, Keys wanted)
      : prefix_{std::move(prefix)}, wanted_{std::move(wanted)} {}

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the document, see render.
  void walk(const Layers& layers, Keys& keys) {
    if (keys.size() == 1 && keys.front() == "adapters") return;  // walk_adapters
    for (const std::string& key : keys_of(layers)) {
      keys.push_back(key);
      if (on_the_way(keys)) {
        const Layers section = layers.section(key);
        const Layer value = layers.value(key);
        if (!section.empty()) {
          walk(section, keys);
        } else if (value) {
          add(value, keys);
        }
      }
      keys.pop_back();
    }
  }

  // Sets in the keys of adapters are expanded before their layers merge.
  void walk_adapters(const Layers& node) {
    Findings ignored;
    const AdapterLayers adapters = adapter_layers(node, ignored);
    for (const auto& [name, adapter] : adapters.adapters) {
      Keys keys{"adapters", name};
      if (on_the_way(keys)) walk(adapter.layers, keys);
    }
  }

  void add_derived(std::vector<Provenance> derived) {
    const std::string path = prefix_ + join(wanted_, ".");
    for (Provenance& each : derived) {
      const bool below = wanted_.empty() || each.path == path || each.path.starts_with(path + ".");
      if (below) found_.push_back(std::move(each));
    }
  }

  std::vector<Provenance> take() { return std::move(found_); }

 private:
  static Keys keys_of(const Layers& layers) {
    Keys keys;
    std::set<std::string_view> seen;
    for (const Layer& layer : layers.all()) {
      for (const yaml::Entry& entry : layer.node->entries) {
        if (seen.insert(entry.key).second) keys.push_back(entry.key);
      }
    }
    return keys;
  }

  // Above, at or below what is wanted.
  bool on_the_way(const Keys& keys) const {
    const auto common = static_cast<std::ptrdiff_t>(std::min(keys.size(), wanted_.size()));
    return std::equal(keys.begin(), keys.begin() + common, wanted_.begin());
  }

  void add(const Layer& value, const Keys& keys) {
    if (keys.size() < wanted_.size()) return;
    std::string text = render(*value.node);
    if (value.key != nullptr && value.node->is_scalar() && zips(keys)) {
      const Result<std::string> zipped =
          zip_value(text, *value.key, value.member, keys.back() == "pci" ? 16 : 10);
      if (zipped) text = *zipped;
    }
    found_.push_back(
        {prefix_ + join(keys, "."), std::move(text), origin_of(value), value.node->range});
  }

  std::string prefix_;
  Keys wanted_;
  std::vector<Provenance> found_;
};

Error not_found(std::string message) {
  return {ErrorCode::not_found, std::move(message)};
}

Error unknown_name(std::string_view what, std::string_view name, const Keys& known) {
  const std::string near = nearest(name, known);
  if (near.empty()) return not_found(fmt::format("there is no {} '{}'", what, name));
  return {
      ErrorCode::invalid, fmt::format("there is no {} '{}'; did you mean '{}'?", what, name, near)};
}

Keys split_keys(std::string_view path) {
  Keys keys;
  if (path.empty()) return keys;
  for (const std::string_view key : split(path, '.'))
    keys.emplace_back(key);
  return keys;
}

std::vector<Provenance> explain_node(
    const yaml::Node& document, const NodeSpec& node, const Keys& wanted) {
  const std::string prefix = "nodes." + node.name.str() + ".";
  Collector collector{prefix, wanted};
  Findings ignored;
  const NodeLayering layering{document};
  for (const NodeKey& key : read_node_keys(*document.find("nodes"), ignored)) {
    for (std::size_t member = 0; member < key.members.size(); ++member) {
      if (key.entry->key_range != node.range || key.members.at(member) != node.name.str()) continue;
      Layers layers = layering.layers_of(key, ignored);
      layers.select_member(member);
      Keys keys;
      collector.walk(layers, keys);
      collector.walk_adapters(layers);
    }
  }
  collector.add_derived(node_defaults(node));
  return collector.take();
}

std::vector<Provenance> explain_network(
    const yaml::Node& document, const NetworkSpec& network, const Keys& wanted) {
  Collector collector{"networks." + network.name + ".", wanted};
  for (const yaml::Entry& entry : document.find("networks")->entries) {
    if (entry.key_range != network.range) continue;
    Keys keys;
    collector.walk(Layers{entry.value}, keys);
  }
  collector.add_derived(network_derived(network));
  return collector.take();
}

std::string_view first_key(std::string_view path) {
  return path.substr(0, path.find('.'));
}

// Names may have dots in them: the longest one that exists.
template <class Find>
auto find_longest(std::string_view path, Find find) {
  for (std::size_t end = path.size();;) {
    const auto* found = find(path.substr(0, end));
    if (found != nullptr || end == 0) {
      return std::pair{found, split_keys(path.substr(std::min(end + 1, path.size())))};
    }
    const std::size_t dot = path.rfind('.', end - 1);
    end = dot == std::string_view::npos ? 0 : dot;
  }
}

Result<std::vector<Provenance>> explain_node_path(
    const yaml::Node& document, const FabricSpec& spec, std::string_view path) {
  const auto [node, keys] =
      find_longest(path, [&](std::string_view name) { return spec.find_node(name); });
  if (node == nullptr) return unknown_name("node", first_key(path), node_names(spec));
  return explain_node(document, *node, keys);
}

Result<std::vector<Provenance>> explain_network_path(
    const yaml::Node& document, const FabricSpec& spec, std::string_view path) {
  const auto [network, keys] = find_longest(path, [&](std::string_view name) {
    const auto found = spec.networks.find(std::string{name});
    return found == spec.networks.end() ? nullptr : &found->second;
  });
  if (network != nullptr) return explain_network(document, *network, keys);
  Keys names;
  for (const auto& [name, each] : spec.networks)
    names.push_back(name);
  return unknown_name("network", first_key(path), names);
}

// "pve1/cx5", "pve1/cx5/1", "pve1/1", "leaf1/7".
Result<std::vector<Provenance>> explain_endpoint(
    const yaml::Node& document, const FabricSpec& spec, std::string_view address) {
  const std::size_t slash = address.find('/');
  const NodeSpec* node = spec.find_node(address.substr(0, slash));
  const std::string rest{address.substr(slash + 1)};
  if (node != nullptr && node->find_adapter(rest) != nullptr) {
    return explain_node(document, *node, {"adapters", rest});
  }
  Findings findings;
  const std::optional<PortRef> port = EndpointReader{spec, findings}.port(address, {});
  if (port) return explain_port(spec, *port);
  const Diagnostics problems = findings.take();
  const Diagnostic& problem = problems.items().front();
  return not_found(problem.message + (problem.help.empty() ? "" : "; " + problem.help));
}

Result<std::vector<Provenance>> explain_any(
    const yaml::Node& document, const FabricSpec& spec, std::string_view address) {
  constexpr std::string_view kNodes = "nodes.";
  constexpr std::string_view kNetworks = "networks.";
  if (address.starts_with(kNodes)) {
    return explain_node_path(document, spec, address.substr(kNodes.size()));
  }
  if (address.starts_with(kNetworks)) {
    return explain_network_path(document, spec, address.substr(kNetworks.size()));
  }
  if (address.find('/') != std::string_view::npos) {
    return explain_endpoint(document, spec, address);
  }
  if (const NodeSpec* node = spec.find_node(address)) return explain_node(document, *node, {});
  Collector collector{"", split_keys(address)};
  Keys keys;
  collector.walk(Layers{document}, keys);
  collector.add_derived(rollout_defaults(spec.rollout));
  return collector.take();
}

}  // namespace

Result<std::vector<Provenance>> explain_address(
    const yaml::Node& document, const FabricSpec& spec, std::string_view address) {
  std::vector<Provenance> found = FABRIC_TRY(explain_any(document, spec, address));
  if (found.empty()) {
    return not_found(fmt::format("nothing in the document gives '{}' a value", address));
  }
  return found;
}

std::vector<Provenance> explain_resource(const Resource& resource) {
  std::vector<Provenance> found;
  const std::string prefix = resource.address.str() + " ";
  for (const auto& [name, attribute] : resource.desired) {
    found.push_back({prefix + name, to_text(attribute.value), attribute.reason, attribute.source});
  }
  std::vector<std::string> before;
  for (const ResourceAddress& address : resource.after)
    before.push_back(address.str());
  if (!before.empty()) {
    found.push_back(
        {prefix + "after", join(before, ", "), "must be right before this one", resource.origin});
  }
  return found;
}

}  // namespace fabric
