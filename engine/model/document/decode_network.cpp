// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/model/document/allocate.hpp"
#include "engine/model/document/cables.hpp"
#include "engine/model/document/decode_ip.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/mesh.hpp"
#include "engine/model/document/read.hpp"

namespace fabric {

namespace {

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

// What needs no member ports. The ports come of cables, and those of meshes need all other cables
// of the document.
NetworkSpec decode_wiring(const NodeKey& key, const EndpointReader& endpoints, Findings& findings) {
  const Layers layers{key.entry->value};
  NetworkSpec network;
  network.range = key.entry->key_range;
  network.mode =
      read_choice(layers, "mode", {Mode::ethernet, Mode::infiniband, Mode::chain, Mode::lag});
  network.mtu = read_number(layers, "mtu");
  network.vswitch = read_text(layers, "vswitch");
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
  std::vector<PortRef> chosen;
  for (const Sourced<PortRef>& port : spec.ports)
    chosen.push_back(port.value);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  const IpContext context{
      whole_network.spec,
      whole_network.endpoints,
      whole_network.findings,
      whole_network.network,
      chosen.empty() ? whole_network.ports : chosen};
  spec.ipv4 = decode_ip(ipoib, "ipv4", Family::ipv4, context);
  return spec;
}

// What gives addresses to the member ports.
void decode_addresses(
    const Layers& layers,
    const FabricSpec& spec,
    const EndpointReader& endpoints,
    NetworkSpec& network,
    Findings& findings) {
  const std::vector<PortRef> ports = address_ports(network);
  const bool is_chain = network.mode.value == Mode::chain;
  const IpContext context{spec, endpoints, findings, network.name, ports, is_chain};
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
    network.vlans.push_back(
        {entry.key,
         entry.key_range,
         read_number(vlan, "id"),
         decode_ip(vlan, "ipv4", Family::ipv4, context),
         read_text(vlan, "partition"),
         read_text(vlan, "tagging")});
  }
}

// How many values one member of a set of networks copies.
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
  std::vector<std::pair<std::string, const yaml::Node*>> order_;  // of writing
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
