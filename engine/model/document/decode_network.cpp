// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/model/document/allocate.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/endpoint.hpp"
#include "engine/model/document/layers.hpp"
#include "engine/model/document/read.hpp"
#include "engine/model/findings.hpp"
#include "engine/model/node_set.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/yaml/node.hpp"

namespace fabric {
namespace {

class MeshExpander {
 public:
  // REQUIRES: all arguments outlive the expander; every other cable and port list of the document
  // is decoded, for a port that one of them names is not free.
  MeshExpander(const FabricSpec& spec, const EndpointReader& endpoints, Findings& findings)
      : spec_{spec}, endpoints_{endpoints}, findings_{findings} {}

  // Adds the cables of the meshes that `network` writes to `into`. A station that has not enough
  // free ports is `port-unknown`.
  void expand(const Layers& network, NetworkSpec& into);

 private:
  // A node, or one of its adapters, that hands out its free ports in order.
  struct Station {
    const NodeSpec* node = nullptr;
    std::string adapter;  // "" = all adapters of the node
    SourceRange range;
    std::size_t adapter_index = 0;
    std::uint32_t next_port = 1;
  };

  void collect_used_ports();
  std::optional<Station> station(const Sourced<std::string>& text) const;
  std::optional<PortRef> take_free_port(Station& station);
  std::optional<PortRef> take_switch_port(Station& station);
  void expand_one(const Layers& cable, SourceRange range, NetworkSpec& into);

  const FabricSpec& spec_;
  const EndpointReader& endpoints_;
  Findings& findings_;
  std::optional<std::set<PortRef>> used_;  // collected at the first mesh
};

// No node has ports for more; a switch has at most a few hundred.
constexpr std::size_t kLargestMesh = 1000;

void MeshExpander::collect_used_ports() {
  if (used_) return;
  used_.emplace();
  for (const auto& [name, network] : spec_.networks) {
    for (PortRef& port : network.member_ports())
      used_->insert(std::move(port));
  }
}

std::optional<MeshExpander::Station> MeshExpander::station(const Sourced<std::string>& text) const {
  const std::size_t slash = text.value.find('/');
  Station station;
  station.node = endpoints_.node(std::string_view{text.value}.substr(0, slash), text.range);
  if (station.node == nullptr) return std::nullopt;
  station.range = text.range;
  if (slash == std::string::npos) return station;
  station.adapter = text.value.substr(slash + 1);
  if (station.node->find_adapter(station.adapter) != nullptr) return station;
  findings_.error(
      "port-unknown",
      text.range,
      fmt::format("{} has no adapter '{}'", station.node->name.str(), station.adapter));
  return std::nullopt;
}

std::optional<PortRef> MeshExpander::take_switch_port(Station& station) {
  const NodeSpec& node = *station.node;
  const PortNames names = traits(node.platform.value).port_names;
  for (;;) {
    const SwitchPort next{SwitchPort::Form::numbers, {station.next_port++}, '\0'};
    PortRef port{node.name, "", as_called(next, names, node.model.value).str()};
    if (used_->insert(port).second) return port;
  }
}

std::optional<PortRef> MeshExpander::take_free_port(Station& station) {
  if (is_switch(station.node->platform.value)) return take_switch_port(station);
  const std::vector<AdapterSpec>& adapters = *station.node->adapters;
  while (station.adapter_index < adapters.size()) {
    const AdapterSpec& adapter = adapters[station.adapter_index];
    const bool is_meant = station.adapter.empty() || station.adapter == adapter.name;
    if (!is_meant || station.next_port > adapter.ports.value) {
      ++station.adapter_index;
      station.next_port = 1;
      continue;
    }
    PortRef port{station.node->name, adapter.name, std::to_string(station.next_port++)};
    if (used_->insert(port).second) return port;
  }
  return std::nullopt;
}

void MeshExpander::expand_one(const Layers& cable, SourceRange range, NetworkSpec& into) {
  collect_used_ports();
  std::vector<Station> stations;
  for (const Sourced<std::string>& text : read_names(cable, "mesh", findings_)) {
    std::optional<Station> found = station(text);
    if (found) stations.push_back(std::move(*found));
  }
  const std::size_t count = stations.size();
  if (count < 2 || count > kLargestMesh) {
    findings_.error("out-of-range", range, fmt::format("a mesh can't be made of {} nodes", count));
    return;
  }
  if (!findings_.may_expand(count * (count - 1), range)) return;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      std::optional<PortRef> a = take_free_port(stations[i]);
      std::optional<PortRef> b = take_free_port(stations[j]);
      if (a && b) {
        into.cables.push_back(
            {{std::move(*a), stations[i].range},
             {std::move(*b), stations[j].range},
             range,
             read_text(cable, "label").value,
             read_text(cable, "length").value,
             read_text(cable, "type").value,
             read_text(cable, "speed").value,
             read_text(cable, "proof").value});
        continue;
      }
      const Station& full = a ? stations[j] : stations[i];
      findings_
          .error(
              "port-unknown",
              full.range,
              fmt::format(
                  "{} has no free port left for a mesh of {} nodes", full.node->name.str(), count))
          .with_help(fmt::format("every node of this mesh needs {} ports", count - 1));
      return;
    }
  }
}

void MeshExpander::expand(const Layers& network, NetworkSpec& into) {
  const Layer cables = network.value("cables");
  if (!cables) return;
  for (const yaml::Node& cable : cables.node->items) {
    const Layers layers{cable};
    if (layers.value("mesh")) expand_one(layers, cable.range, into);
  }
}

// Cables: what is written for one cable or for many, to single cables.
//
//   [A, B]                               one cable; sets in both ends zip
//   {ends: [A, B], label, length, ...}   with its particulars; `for: {i: 1-32}` repeats it
//   {ring|chain: [...]}                  port 1 of each station to port 2 of the next
//   {mesh: [...]}                        every pair, each by its lowest free port

struct DecodedCables {
  std::vector<CableSpec> cables;
  SourceRange unread_end;  // NetworkSpec::unread_end
};

// The two ends of a cable that stands for many: `for` variables and zipped node sets.

// `for: {i: 1-32, r: 0-7}`: all combinations, the last variable varying fastest.
class Repetition {
 public:
  // `variables` null: once. Broken ranges are `bad-node-set`.
  static std::optional<Repetition> read(const yaml::Node* variables, Findings& findings);

  std::size_t size() const { return size_; }
  const std::vector<std::string>& names() const { return names_; }
  // `text` with every {name} replaced, in combination `index`. Fails with ErrorCode::invalid for a
  // name that `for` does not have.
  Result<std::string> apply(std::string_view text, std::size_t index) const;

 private:
  std::vector<std::string> names_;
  std::vector<NodeSet> values_;
  std::size_t size_ = 1;
};

std::optional<Repetition> Repetition::read(const yaml::Node* variables, Findings& findings) {
  Repetition repetition;
  if (variables == nullptr) return repetition;
  for (const yaml::Entry& entry : variables->entries) {
    if (!entry.value.is_scalar()) return std::nullopt;
    Result<NodeSet> values = NodeSet::parse(fmt::format("[{}]", entry.value.text));
    if (!values || values->group_count() != 1) {
      findings
          .error(
              "bad-node-set",
              entry.value.range,
              fmt::format("'{}' is not a range for '{}'", entry.value.text, entry.key))
          .with_help("write ranges without brackets, such as 1-32 or 0-7,12");
      return std::nullopt;
    }
    // Sizes are at most kNodeSetMembers and the product so far kCables: no overflow.
    repetition.size_ *= values->size();
    if (repetition.size_ > limits::kCables) {
      findings.error(
          "bad-node-set",
          variables->range,
          fmt::format("'for' makes more than {} cables", limits::kCables));
      return std::nullopt;
    }
    repetition.names_.push_back(entry.key);
    repetition.values_.push_back(std::move(values).value());
  }
  return repetition;
}

Result<std::string> Repetition::apply(std::string_view text, std::size_t index) const {
  std::string result;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    result += text.substr(0, close == std::string_view::npos ? close : open);
    if (close == std::string_view::npos) break;
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      return Error{
          ErrorCode::invalid,
          names_.empty() ? fmt::format("'{{{}}}' stands without a 'for'", name)
                         : fmt::format("'for' has no '{}', only {}", name, join(names_, ", "))};
    }
    std::size_t combinations = 1;
    for (std::size_t later = names_.size(); later-- > 0 && names_[later] != name;) {
      combinations *= values_[later].size();
    }
    const NodeSet& values = values_[static_cast<std::size_t>(found - names_.begin())];
    result += values.at(index / combinations % values.size());
    text.remove_prefix(close + 1);
  }
  return result;
}

// A node or `node/adapter` of a ring, chain or mesh.
using Stations = std::vector<Sourced<std::string>>;

Stations read_stations(const Layers& cable, std::string_view key, Findings& findings) {
  Stations stations = read_names(cable, key, findings);
  if (stations.size() < 2 && cable.value(key)) {
    findings.error(
        "out-of-range",
        cable.value(key).node->range,
        fmt::format("a {} needs at least 2 nodes, here is {}", key, stations.size()));
    stations.clear();
  }
  return stations;
}

class CableDecoder {
 public:
  CableDecoder(const EndpointReader& endpoints, Findings& findings)
      : endpoints_{endpoints}, findings_{findings} {}

  void decode(const yaml::Node& node) {
    if (node.is_sequence()) {
      decode_ends(node, Layers{}, node.range);
      return;
    }
    const Layers cable{node};
    const Layer ends = cable.value("ends");
    if (ends) decode_ends(*ends.node, cable, node.range);
    decode_stations(cable, "ring", node.range);
    decode_stations(cable, "chain", node.range);
  }

  DecodedCables take() { return {std::move(cables_), unread_end_}; }

 private:
  void unread(SourceRange place) {
    if (!is_known(unread_end_)) unread_end_ = place;
  }

  void add(Sourced<PortRef> a, Sourced<PortRef> b, const Layers& cable, SourceRange range) {
    cables_.push_back(
        {std::move(a),
         std::move(b),
         range,
         read_text(cable, "label").value,
         read_text(cable, "length").value,
         read_text(cable, "type").value,
         read_text(cable, "speed").value,
         read_text(cable, "proof").value});
  }

  // Reads both ends before it judges, so that two wrong ends are two findings.
  void add_cable(
      const Sourced<std::string>& a,
      const Sourced<std::string>& b,
      const Layers& cable,
      SourceRange range) {
    std::optional<PortRef> port_a = endpoints_.port(a.value, a.range);
    std::optional<PortRef> port_b = endpoints_.port(b.value, b.range);
    if (!port_a || !port_b) {
      const SourceRange place = port_a ? b.range : a.range;
      unread(place);
      // The node at the other end may have no port in the network for this alone.
      for (const auto& port : {port_a, port_b}) {
        if (port) findings_.blame(port->node.str(), place);
      }
      return;
    }
    add({std::move(*port_a), a.range}, {std::move(*port_b), b.range}, cable, range);
  }

  void add_zipped(
      const Sourced<std::string>& a,
      const Sourced<std::string>& b,
      const Layers& cable,
      SourceRange range) {
    const Result<NodeSet> set_a = NodeSet::parse(a.value);
    const Result<NodeSet> set_b = NodeSet::parse(b.value);
    if (!set_a) findings_.error("bad-node-set", a.range, set_a.error().message);
    if (!set_b) findings_.error("bad-node-set", b.range, set_b.error().message);
    if (!set_a || !set_b) return unread(set_a ? b.range : a.range);
    if (set_a->group_count() == 0 && set_b->group_count() == 0) {
      add_cable(a, b, cable, range);
      return;
    }
    const Result<void> zips = check_zip(*set_a, *set_b);
    if (!zips) {
      findings_.error("bad-node-set", b.range, zips.error().message)
          .with_note(a.range, "the other end")
          .with_help("a pattern that does not zip is written with 'for'");
      return unread(b.range);
    }
    if (!findings_.may_expand(2 * set_a->size(), range)) return;
    for (std::size_t i = 0; i < set_a->size(); ++i) {
      add_cable({set_a->at(i), a.range}, {set_b->at(i), b.range}, cable, range);
    }
  }

  void decode_ends(const yaml::Node& ends, const Layers& cable, SourceRange range) {
    const auto wrong = [](const yaml::Node& end) {
      return !end.is_scalar();
    };
    if (ends.items.size() != 2) return unread(ends.range);
    if (const auto end = std::ranges::find_if(ends.items, wrong); end != ends.items.end())
      return unread(end->range);
    const Layer variables = cable.value("for");
    const auto repetition = Repetition::read(variables.node, findings_);
    if (!repetition || !all_used(*repetition, variables, ends)) return unread(range);
    for (std::size_t i = 0; i < repetition->size(); ++i) {
      const auto a = expand_end(ends.items[0], *repetition, i);
      const auto b = expand_end(ends.items[1], *repetition, i);
      if (!a || !b || !findings_.may_expand(2, range)) return unread(range);
      add_zipped(*a, *b, cable, range);
    }
  }

  std::optional<Sourced<std::string>> expand_end(
      const yaml::Node& end, const Repetition& repetition, std::size_t index) {
    Result<std::string> text = repetition.apply(end.text, index);
    if (text) return Sourced<std::string>{std::move(text).value(), end.range};
    findings_.error("bad-node-set", end.range, text.error().message);
    return std::nullopt;
  }

  // A variable that neither end names would lay the same cable again and again.
  bool all_used(const Repetition& repetition, const Layer& variables, const yaml::Node& ends) {
    for (const std::string& name : repetition.names()) {
      const std::string written = "{" + name + "}";
      const bool used = std::ranges::any_of(ends.items, [&](const yaml::Node& end) {
        return end.text.find(written) != std::string::npos;
      });
      if (used) continue;
      findings_.error(
          "bad-node-set",
          variables.node->find_entry(name)->key_range,
          fmt::format("neither end names '{}'", written));
      return false;
    }
    return true;
  }

  void decode_stations(const Layers& cable, std::string_view key, SourceRange range) {
    const Stations stations = read_stations(cable, key, findings_);
    if (stations.empty()) return;
    std::map<std::string_view, SourceRange> seen;
    for (const Sourced<std::string>& each : stations) {
      const auto [first, fresh] = seen.emplace(each.value, each.range);
      if (fresh) continue;
      findings_
          .error(
              "port-reused", each.range, fmt::format("{} stands twice in the {}", each.value, key))
          .with_note(first->second, "here, too")
          .with_help("a ring or chain passes each card once");
      return unread(each.range);
    }
    const std::size_t count = key == "ring" ? stations.size() : stations.size() - 1;
    for (std::size_t i = 0; i < count; ++i) {
      const Sourced<std::string>& from = stations[i];
      const Sourced<std::string>& to = stations[(i + 1) % stations.size()];
      add_cable({from.value + "/1", from.range}, {to.value + "/2", to.range}, cable, range);
    }
  }

  const EndpointReader& endpoints_;
  Findings& findings_;
  std::vector<CableSpec> cables_;
  SourceRange unread_end_;
};

// The cables of one network; its meshes are left to MeshExpander. An end that does not exist is
// `node-unknown` or `port-unknown` and its cable is left out; sets that do not zip are
// `bad-node-set`.
DecodedCables decode_cables(
    const Layers& network, const EndpointReader& endpoints, Findings& findings) {
  CableDecoder decoder{endpoints, findings};
  const Layer cables = network.value("cables");
  if (!cables) return {};
  for (const yaml::Node& cable : cables.node->items)
    decoder.decode(cable);
  return decoder.take();
}

std::vector<Sourced<PortRef>> read_ports(
    const Layers& section, std::string_view key, const EndpointReader& endpoints) {
  std::vector<Sourced<PortRef>> ports;
  for (const Sourced<std::string>& text : read_texts(section, key)) {
    for (Sourced<PortRef>& port : endpoints.ports(text.value, text.range)) {
      ports.push_back(std::move(port));
    }
  }
  return ports;
}

// Decodes the parts that need no member ports. Ports are those of cables, and meshes need all other
// cables of the document.
NetworkSpec decode_wiring(const NodeKey& key, const EndpointReader& endpoints, Findings& findings) {
  const Layers layers{key.entry->value};
  NetworkSpec network;
  network.range = key.entry->key_range;
  network.mode =
      read_choice(layers, "mode", {Mode::ethernet, Mode::infiniband, Mode::chain, Mode::lag});
  network.mtu = read_number(layers, "mtu");
  network.vswitch = read_text(layers, "vswitch");
  network.access_vlan = read_number(layers, "access_vlan");
  network.transit =
      read_choice(layers, "transit", {Transit::none, Transit::by_static, Transit::by_frr});
  network.restore = read_flag(layers, "restore");
  DecodedCables decoded = decode_cables(layers, endpoints, findings);
  network.cables = std::move(decoded.cables);
  network.unread_end = decoded.unread_end;
  network.ports = read_ports(layers, "ports", endpoints);
  network.lag = decode_lag(layers, network.mode);
  network.qos = decode_qos(layers);
  network.subnet_managers = decode_subnet_managers(layers);
  network.subnet_manager = decode_subnet_manager(layers, findings);
  network.partitions = decode_partitions(layers, findings);
  for (const yaml::Entry& entry : key.entry->value.entries) {
    network.keys.emplace(entry.key, entry.key_range);
  }
  network.written = written_keys(layers, "networks.*");
  return network;
}

IpoibSpec decode_ipoib(const Layers& ipoib, const IpContext& whole_network) {
  IpoibSpec spec;
  spec.range = ipoib.all().back().node->range;
  spec.mode = read_text(ipoib, "mode");
  spec.mtu = read_number(ipoib, "mtu");
  spec.uplinks = find_number(ipoib, "uplinks");
  spec.ports = read_ports(ipoib, "ports", whole_network.endpoints);
  std::erase_if(spec.ports, [&](const Sourced<PortRef>& port) {
    if (!port.value.adapter.empty()) return false;
    whole_network.findings
        .error(
            "port-unknown",
            port.range,
            fmt::format("{} is a port of a switch, which has no IPoIB", port.value.str()))
        .with_help("name ports of hosts")
        .about(port.value.node);
    return true;
  });
  spec.bond = decode_ipoib_bond(ipoib);
  std::vector<PortRef> chosen;
  for (const Sourced<PortRef>& port : spec.ports)
    chosen.push_back(port.value);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  if (chosen.empty()) chosen = whole_network.ports;
  if (spec.bond) keep_first_of_each_node(chosen);
  const IpContext context{
      whole_network.spec,
      whole_network.endpoints,
      whole_network.findings,
      whole_network.network,
      chosen,
      false,
      whole_network.is_unread};
  spec.ipv4 = decode_ip(ipoib, "ipv4", Family::ipv4, context);
  return spec;
}

// The ports of a VLAN: on InfiniBand those with IP in the partition that carries it.
std::vector<PortRef> vlan_ports(
    const NetworkSpec& network, std::string_view partition, const std::vector<PortRef>& ports) {
  if (network.mode.value != Mode::infiniband) return ports;
  const PartitionSpec* carrier = find_partition(network, partition);
  return carrier == nullptr ? ipoib_ports(network, ports) : ipoib_ports(network, *carrier, ports);
}

// Decodes the addresses of the member ports.
void decode_addresses(
    const Layers& layers,
    const FabricSpec& spec,
    const EndpointReader& endpoints,
    NetworkSpec& network,
    Findings& findings) {
  const std::vector<PortRef> ports = address_ports(network);
  const bool is_chain = network.mode.value == Mode::chain;
  const bool is_unread = !is_known(network.mode.range);
  const IpContext context{spec, endpoints, findings, network.name, ports, is_chain, is_unread};
  IpContext of_cables = context;
  if (network.mode.value == Mode::ethernet) of_cables.cables = &network.cables;
  network.ipv4 = decode_ip(layers, "ipv4", Family::ipv4, of_cables);
  network.ipv6 = decode_ip(layers, "ipv6", Family::ipv6, context);
  network.loopback = decode_loopback(layers, context);
  const Layers ipoib = layers.section("ipoib");
  if (!ipoib.empty()) network.ipoib = decode_ipoib(ipoib, context);
  const Layer vlans = layers.value("vlans");
  if (!vlans) return;
  for (const yaml::Entry& entry : vlans.node->entries) {
    const Layers vlan{entry.value};
    const Sourced<std::string> partition = read_text(vlan, "partition");
    std::vector<PortRef> carrying = vlan_ports(network, partition.value, ports);
    // ipoib-bond-vlan
    if (network.ipoib && network.ipoib->bond) keep_first_of_each_node(carrying);
    const IpContext of_vlan{spec, endpoints, findings, network.name, carrying, is_chain, is_unread};
    network.vlans.push_back(
        {entry.key,
         entry.key_range,
         read_number(vlan, "id"),
         decode_ip(vlan, "ipv4", Family::ipv4, of_vlan),
         partition,
         read_text(vlan, "tagging")});
    if (network.mode.value == Mode::infiniband || vlan.value("id")) continue;
    findings
        .error(
            "missing-key",
            entry.key_range,
            fmt::format("the VLAN '{}' of network {} has no 'id'", entry.key, network.name))
        .with_key("id");
  }
}

// The number of values that one member of a set of networks copies.
std::size_t size_of(const NetworkSpec& network) {
  std::size_t size = 10 + 2 * network.cables.size() + network.ports.size();
  for (const PartitionSpec& partition : network.partitions)
    size += 2 + partition.members.size();
  return size;
}

class NetworkDecoder {
 public:
  NetworkDecoder(FabricSpec& spec, Findings& findings)
      : spec_{spec}, findings_{findings}, endpoints_{spec, findings} {}

  // REQUIRES: `keys` outlives the decoder.
  void decode_all_wiring(const std::vector<NodeKey>& keys) {
    std::size_t total = 0;
    for (const NodeKey& key : keys) {
      total += key.members.size();
      if (total > limits::kNodes) {
        findings_.error("out-of-range", key.entry->key_range, "the document has too many networks");
        return;
      }
      decode_one(key);
    }
  }

  void expand_all_meshes() {
    MeshExpander meshes{spec_, endpoints_, findings_};
    for (const auto& [name, tree] : order_)
      meshes.expand(Layers{*tree}, spec_.networks.at(name));
  }

  void decode_all_addresses() {
    for (const auto& [name, tree] : order_) {
      decode_addresses(Layers{*tree}, spec_, endpoints_, spec_.networks.at(name), findings_);
    }
  }

 private:
  // The members of a set share one mapping, and no two networks have one cable.
  bool may_share(const NodeKey& key) {
    if (key.members.size() < 2) return true;
    for (const char* wiring : {"cables", "ports"}) {
      const yaml::Entry* entry = key.entry->value.find_entry(wiring);
      if (entry == nullptr || entry->value.items.empty()) continue;
      findings_
          .error(
              "bad-node-set",
              key.entry->key_range,
              fmt::format(
                  "'{}' is {} networks with the same `{}`: nothing in a network zips with its key",
                  key.entry->key,
                  key.members.size(),
                  wiring))
          .with_note(entry->key_range, "a port is in one network")
          .with_help("write each network with its own cables");
      return false;
    }
    return true;
  }

  void decode_one(const NodeKey& key) {
    if (!may_share(key)) return;
    std::optional<NetworkSpec> shared;
    for (std::size_t i = 0; i < key.members.size(); ++i) {
      const std::string name = key.members.at(i);
      if (!may_be_named("network", name, key.entry->key_range, findings_)) return;
      const auto found = spec_.networks.find(name);
      if (found != spec_.networks.end()) {
        findings_
            .error(
                "duplicate-key",
                key.entry->key_range,
                fmt::format("the network '{}' is given twice", name))
            .with_note(found->second.range, "first given here");
        continue;
      }
      if (!shared) shared = decode_wiring(key, endpoints_, findings_);
      if (!findings_.may_expand(size_of(*shared), key.entry->key_range)) return;
      const bool is_last = i + 1 == key.members.size();
      NetworkSpec network = is_last ? std::move(*shared) : *shared;
      network.name = name;
      spec_.networks.emplace(name, std::move(network));
      order_.emplace_back(name, &key.entry->value);
    }
  }

  FabricSpec& spec_;
  Findings& findings_;
  EndpointReader endpoints_;
  std::vector<std::pair<std::string, const yaml::Node*>> order_;  // in the document's order
};

}  // namespace

void decode_networks(const yaml::Node& document, FabricSpec& spec, Findings& findings) {
  const yaml::Node* networks = document.find("networks");
  if (networks == nullptr) return;
  const std::vector<NodeKey> keys = read_node_keys(*networks, findings);
  NetworkDecoder decoder{spec, findings};
  decoder.decode_all_wiring(keys);
  decoder.expand_all_meshes();
  decoder.decode_all_addresses();
}

}  // namespace fabric
