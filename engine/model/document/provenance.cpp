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

namespace fabric {

namespace {

constexpr std::string_view kDefault = "default";

// Values that no line gave.
class Defaults {
 public:
  explicit Defaults(std::string prefix) : prefix_{std::move(prefix)} {}

  void add(std::string_view key, const SourceRange& given, std::string value, std::string origin) {
    if (is_known(given)) return;
    found_.push_back({prefix_ + std::string{key}, std::move(value), std::move(origin), {}});
  }
  void add(std::string_view key, const SourceRange& given, std::string_view value) {
    add(key, given, std::string{value}, std::string{kDefault});
  }
  std::vector<Provenance> take() { return std::move(found_); }

 private:
  std::string prefix_;
  std::vector<Provenance> found_;
};

std::string flag(bool value) {
  return value ? "true" : "false";
}

std::string with_prefix(const IpAddress& address, const IpSpec& ip) {
  if (!ip.subnet) return address.str();
  return fmt::format("{}/{}", address.str(), ip.prefix_length());
}

// An automatic address stands at the line of its subnet.
std::string origin_of(const Sourced<IpAddress>& address, const IpSpec& ip) {
  const bool automatic = ip.subnet && address.range == ip.subnet->range;
  if (!automatic) return "document";
  const char* per = ip.cable_prefix != 0 ? "cable" : ip.per_port ? "port" : "node";
  return fmt::format("allocation (per {})", per);
}

constexpr const char* kOfLoopback = "allocation (host number)";

std::string loopback_text(const IpAddress& address) {
  return address.str() + "/32";
}

void add_addresses(const std::string& path, const IpSpec& ip, std::vector<Provenance>& found) {
  for (const auto& [port, addresses] : ip.addresses) {
    for (const Sourced<IpAddress>& address : addresses) {
      found.push_back(
          {path + ".addresses." + port.str(),
           with_prefix(address.value, ip),
           origin_of(address, ip),
           address.range});
    }
  }
}

struct NamedIp {
  std::string name;  // "ipv4", "vlans.storage.ipv4"
  const IpSpec* ip = nullptr;
};

std::vector<NamedIp> ips_of(const NetworkSpec& network) {
  std::vector<NamedIp> ips{{"ipv4", &network.ipv4}, {"ipv6", &network.ipv6}};
  if (network.ipoib) ips.push_back({"ipoib.ipv4", &network.ipoib->ipv4});
  for (const VlanSpec& vlan : network.vlans) {
    ips.push_back({"vlans." + vlan.name + ".ipv4", &vlan.ipv4});
  }
  return ips;
}

// Defaults of a node that it does not overrule.
std::vector<Provenance> node_defaults(const NodeSpec& node) {
  Defaults defaults{"nodes." + node.name.str() + "."};
  defaults.add("address", node.address.range, node.address.value, "default: the node's own name");
  defaults.add("platform", node.platform.range, to_string(node.platform.value));
  if (node.host_number) {
    defaults.add(
        "host",
        node.host_number->range,
        std::to_string(node.host_number->value),
        "default: the trailing digits of the name");
  }
  for (const AdapterSpec& adapter : *node.adapters) {
    if (adapter.hardware == nullptr) continue;
    defaults.add(
        "adapters." + adapter.name + ".ports",
        adapter.ports.range,
        std::to_string(adapter.ports.value),
        "default: of the model " + adapter.hardware->slug);
  }
  defaults.add("software.stack", node.software->stack.range, node.software->stack.value);
  defaults.add(
      "network_backend", node.network_backend.range, to_string(node.network_backend.value));
  defaults.add("adopt", node.adopt.range, flag(node.adopt.value));
  defaults.add("state", node.state.range, to_string(node.state.value));
  return defaults.take();
}

// Defaults and allocated addresses of a network.
std::vector<Provenance> network_derived(const NetworkSpec& network) {
  const std::string prefix = "networks." + network.name + ".";
  Defaults defaults{prefix};
  if (network.lag) {
    defaults.add("lag.bond", network.lag->bond.range, network.lag->bond.value);
    defaults.add(
        "lag.miimon", network.lag->miimon.range, std::to_string(network.lag->miimon.value));
  }
  if (network.qos) {
    const QosSpec& qos = *network.qos;
    std::vector<std::string> lossless;
    for (const Sourced<std::uint32_t>& each : qos.lossless)
      lossless.push_back(std::to_string(each.value));
    defaults.add("qos.trust", qos.trust.range, qos.trust.value);
    defaults.add(
        "qos.lossless", qos.lossless.front().range, fmt::format("[{}]", join(lossless, ", ")));
    defaults.add("qos.dscp.roce", qos.roce_dscp.range, std::to_string(qos.roce_dscp.value));
    defaults.add("qos.dscp.cnp", qos.cnp_dscp.range, std::to_string(qos.cnp_dscp.value));
    defaults.add("qos.ecn", qos.ecn.range, flag(qos.ecn.value));
  }
  std::vector<Provenance> found = defaults.take();
  for (const NamedIp& each : ips_of(network))
    add_addresses(prefix + each.name, *each.ip, found);
  if (!network.loopback) return found;
  for (const auto& [node, address] : network.loopback->addresses) {
    found.push_back(
        {prefix + "loopback.addresses." + node.str(),
         loopback_text(address.value),
         kOfLoopback,
         address.range});
  }
  return found;
}

std::vector<Provenance> rollout_defaults(const RolloutSpec& rollout) {
  Defaults defaults{"rollout."};
  defaults.add(
      "max_unavailable",
      rollout.max_unavailable.range,
      std::to_string(rollout.max_unavailable.value));
  defaults.add(
      "max_failures", rollout.max_failures.range, std::to_string(rollout.max_failures.value));
  defaults.add(
      "reboot_timeout",
      rollout.reboot_timeout.range,
      format_duration(rollout.reboot_timeout.value));
  defaults.add(
      "confirm_timeout",
      rollout.confirm_timeout.range,
      format_duration(rollout.confirm_timeout.value));
  defaults.add("patience", rollout.patience.range, format_duration(rollout.patience.value));
  defaults.add(
      "paths_lost", rollout.paths_lost.range, std::string{to_string(rollout.paths_lost.value)});
  defaults.add(
      "redundancy", rollout.redundancy.range, std::string{to_string(rollout.redundancy.value)});
  return defaults.take();
}

// Networks, cables and addresses of one port.
std::vector<Provenance> explain_port(const FabricSpec& spec, const PortRef& port) {
  std::vector<Provenance> found;
  const auto add =
      [&](std::string_view what, std::string value, std::string origin, SourceRange at) {
        found.push_back(
            {fmt::format("{} {}", port.str(), what), std::move(value), std::move(origin), at});
      };
  for (const auto& [name, network] : spec.networks) {
    const std::vector<PortRef> members = network.member_ports();
    if (!std::binary_search(members.begin(), members.end(), port)) continue;
    add("network", name, fmt::format("mode {}", to_string(network.mode.value)), network.range);
    if (is_known(network.mtu.range)) {
      add("mtu", std::to_string(network.mtu.value), "networks." + name, network.mtu.range);
    }
    for (const CableSpec& cable : network.cables) {
      if (cable.a.value == port) add("cable", cable.b.value.str(), "networks." + name, cable.range);
      if (cable.b.value == port) add("cable", cable.a.value.str(), "networks." + name, cable.range);
    }
    for (const NamedIp& each : ips_of(network)) {
      const auto addresses = each.ip->addresses.find(port);
      if (addresses == each.ip->addresses.end()) continue;
      for (const Sourced<IpAddress>& address : addresses->second) {
        add(each.name,
            with_prefix(address.value, *each.ip),
            origin_of(address, *each.ip),
            address.range);
      }
    }
    if (!network.loopback) continue;
    const auto loopback = network.loopback->addresses.find(port.node);
    if (loopback != network.loopback->addresses.end()) {
      add("loopback", loopback_text(loopback->second.value), kOfLoopback, loopback->second.range);
    }
  }
  return found;
}

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

// True if the value at `keys` below a node zips with its key (docs/writing-a-document.md).
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
        {prefix + "after", join(before, ", "), "must be done before this one", resource.origin});
  }
  return found;
}

}  // namespace fabric
