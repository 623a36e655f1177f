// SPDX-License-Identifier: Apache-2.0
// The parts that decode_document is made of; for engine/model alone.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/document/endpoint.hpp"
#include "engine/model/document/layers.hpp"
#include "engine/model/findings.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

// decode_node.cpp. Every node of `nodes`, sets expanded.
void decode_nodes(const yaml::Node& document, FabricSpec& spec, Findings& findings);
// decode_adapter.cpp
std::vector<AdapterSpec> decode_adapters(const Layers& node, Findings& findings);
// Decodes only the selectors, which differ between the members of a node set.
void decode_adapter_selectors(
    const Layers& node, std::vector<AdapterSpec>& adapters, Findings& findings);
// The model, in capitals, that differs by one letter from `written` up to its first '-'; "" = none.
std::string misprinted_model(std::string_view written, std::span<const std::string> models);
// decode_operation.cpp
SshSpec decode_ssh(const Layers& node, Findings& findings);

// decode_network.cpp. Every network of `networks`. REQUIRES: the nodes are decoded.
void decode_networks(const yaml::Node& document, FabricSpec& spec, Findings& findings);
// decode_isolated.cpp. REQUIRES: the nodes and networks are decoded. Problems: `bad-node-set`,
// `isolated-unknown`.
std::vector<IsolatedPair> decode_isolated(
    const yaml::Node& document, const FabricSpec& spec, Findings& findings);
// decode_network_parts.cpp
std::optional<LagSpec> decode_lag(const Layers& network, const Sourced<Mode>& mode);
// The bond of IPoIB, of which only the name and primary slave can be chosen.
std::optional<LagSpec> decode_ipoib_bond(const Layers& ipoib);
std::optional<QosSpec> decode_qos(const Layers& network);
std::vector<SubnetManagerPlacement> decode_subnet_managers(const Layers& network);
std::optional<SubnetManagerSpec> decode_subnet_manager(const Layers& network, Findings& findings);
std::vector<PartitionSpec> decode_partitions(const Layers& network, Findings& findings);

// written_keys.cpp. `path`: "nodes.*" or "networks.*". Linear in the number of keys.
WrittenKeys written_keys(const Layers& section, std::string_view path);

// decode_operation.cpp
RolloutSpec decode_rollout(const yaml::Node& document, Findings& findings);
HooksSpec decode_hooks(const Layers& section);

// The names of all nodes, for nearest().
std::vector<std::string> node_names(const FabricSpec& spec);

// `ipv4` and `ipv6`: the written addresses, then the allocation of the rest.
struct IpContext {
  const FabricSpec& spec;
  const EndpointReader& endpoints;
  Findings& findings;
  std::string_view network;           // for messages
  const std::vector<PortRef>& ports;  // ports that carry addresses
  bool always_per_port = false;       // a chain
  bool is_unread = false;             // the mode can't be read: no address follows from it
  // What `per: cable` counts; null where it has no meaning.
  const std::vector<CableSpec>* cables = nullptr;
};

// The section `key` ("ipv4") of `parent`; empty if it is not given.
IpSpec decode_ip(
    const Layers& parent, std::string_view key, Family family, const IpContext& context);

// The section `loopback` of a network, its hosts by their numbers; nullopt if it is not given.
// Problems: `subnet-too-small`, `missing-key` for a node without a host number.
std::optional<LoopbackSpec> decode_loopback(const Layers& network, const IpContext& context);

}  // namespace fabric
