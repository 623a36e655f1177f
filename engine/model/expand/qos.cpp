// SPDX-License-Identifier: Apache-2.0
// Lossless RoCE: what each port of a host and each managed switch needs for it.
#include <fmt/format.h>

#include "engine/model/expand/parts.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/value/lists.hpp"

namespace fabric::expansion {

namespace {

List priorities(const QosSpec& qos) {
  return to_list(qos.lossless);
}

// Adds desired attributes with the place of their part of `qos`.
class Wish {
 public:
  Wish(Resource& resource, const NetworkSpec& network) : resource_{resource}, network_{network} {}

  void put(std::string_view attribute, Value value, SourceRange written, std::string reason) {
    const SourceRange range = is_known(written) ? written : network_.qos->range;
    want(resource_, attribute, std::move(value), range, std::move(reason));
  }

 private:
  Resource& resource_;
  const NetworkSpec& network_;
};

// The second slave of a RoCE LAG has no RDMA device of its own.
bool has_rdma_device(
    const NodeResources& node,
    const NetworkSpec& network,
    const std::vector<PortRef>& ports,
    const PortRef& port) {
  return port == ports.front() || network.mode.value != Mode::lag ||
         !expects_roce_lag(node.node(), network, ports);
}

void put_port(
    NodeResources& node,
    const NetworkSpec& network,
    const std::vector<PortRef>& ports,
    const PortRef& port) {
  const QosSpec& qos = *network.qos;
  Resource resource = node.start(kinds::kQos, port_name(port), key_range(network, "qos"));
  resource.binding.merge(node.port_binding(port));
  resource.binding.emplace(keys::kNetwork, network.name);
  resource.binding.emplace(keys::kRoceDscp, qos.roce_dscp.value);
  resource.binding.emplace(keys::kCnpDscp, qos.cnp_dscp.value);
  resource.features.push_back({"", "`qos`", key_range(network, "qos")});
  node.wait_for_port(resource, port);
  const ResourceAddress interface = node.address(kinds::kInterface, port_name(port));
  if (node.has(interface)) resource.after.push_back(interface);
  Wish wish{resource, network};
  wish.put("dcbx", "os", {}, "otherwise the firmware takes the following settings from the switch");
  wish.put(
      "trust",
      qos.trust.value,
      qos.trust.range,
      fmt::format("network {} sorts incoming frames by it", network.name));
  wish.put(
      "pfc",
      priorities(qos),
      qos.lossless.front().range,
      fmt::format("network {} must lose nothing at these priorities", network.name));
  if (qos.trust.value == "dscp") {
    wish.put(
        "roce_priority",
        priority_of_dscp(qos.roce_dscp.value),
        qos.roce_dscp.range,
        fmt::format("RoCE has DSCP {}", qos.roce_dscp.value));
    wish.put(
        "cnp_priority",
        priority_of_dscp(qos.cnp_dscp.value),
        qos.cnp_dscp.range,
        fmt::format("congestion notification packets have DSCP {}", qos.cnp_dscp.value));
  }
  wish.put("ecn", qos.ecn.value, qos.ecn.range, "both ends must react to congestion, or neither");
  if (qos.ecn.value) {
    wish.put(
        "cnp_dscp",
        qos.cnp_dscp.value,
        qos.cnp_dscp.range,
        "congestion notification packets have a DSCP of their own");
  }
  if (has_rdma_device(node, network, ports, port)) {
    wish.put(
        "tos",
        type_of_service(qos),
        qos.roce_dscp.range,
        fmt::format("connections of RDMA CM have DSCP {}", qos.roce_dscp.value));
  }
  node.put(std::move(resource));
}

}  // namespace

void expand_qos(NodeResources& node) {
  for (const auto& [name, ports] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    if (!network.qos || network.mode.value == Mode::infiniband) continue;
    for (const PortRef& port : ports)
      put_port(node, network, ports, port);
  }
}

void expand_switch_qos(NodeResources& node) {
  for (const auto& [name, ports] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    if (!network.qos || network.mode.value == Mode::infiniband) continue;
    const QosSpec& qos = *network.qos;
    Resource resource =
        node.start(kinds::kQos, std::string{keys::kSwitchQos}, key_range(network, "qos"));
    if (node.has(resource.address)) continue;  // its networks ask for the same: qos-conflict
    resource.binding.emplace(keys::kNetwork, network.name);
    resource.features.push_back({"", "`qos` at this switch", key_range(network, "qos")});
    node.wait_for_foundation(resource);
    Wish wish{resource, network};
    wish.put("mode", "lossless", {}, fmt::format("network {} asks for it", network.name));
    wish.put("trust", qos.trust.value, qos.trust.range, "the switch sorts incoming frames by it");
    wish.put(
        "pfc",
        priorities(qos),
        qos.lossless.front().range,
        "the switch must lose nothing at these priorities");
    if (qos.ecn.value)
      wish.put("ecn", true, qos.ecn.range, "the switch marks the packets that it has to queue");
    node.put(std::move(resource));
  }
}

}  // namespace fabric::expansion
