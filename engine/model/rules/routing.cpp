// SPDX-License-Identifier: Apache-2.0
// Mode infiniband: the routing engines of the manager, and the nodes that the routing names.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/ndr.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kRoutingRules[] = {
    {"routing-without-tree",
     Severity::warning,
     RuleStage::document,
     "Roots and I/O nodes are asked for by engines that route a tree. Others read neither.",
     "E-opensm-routing: opensm(8), --routing_engine, --root_guid_file, --io_guid_file",
     "Choose updn or ftree, or remove `roots` and `io`."},
    {"routing-root-leaf",
     Severity::warning,
     RuleStage::document,
     "The roots of a tree are its spines. With leaves as roots the engine ranks the tree from the "
     "wrong end, or falls back to another one.",
     "E-opensm-routing: opensm(8), --routing_engine, --root_guid_file, --io_guid_file",
     "Name the spines, or leave `roots` out."},
    {"routing-engine-unknown",
     Severity::error,
     RuleStage::document,
     "A manager that does not know an engine falls back to minhop, which can deadlock in a ring "
     "or torus.",
     "E-opensm-routing: opensm(8), routing; OpenSM 3.3.23, measured",
     "Use an engine from the list in the message."},
    {"routing-engine-lacking",
     Severity::warning,
     RuleStage::document,
     "The adaptive engines are those of NVIDIA's OpenSM. The OpenSM of a distribution has none of "
     "these engines and takes the next one of the list, or minhop.",
     "E-opensm-routing: opensm(8), routing; OpenSM 3.3.23, measured",
     "Install the OpenSM of MLNX_OFED or DOCA, or choose updn or ftree."},
    {"routing-node-unfit",
     Severity::error,
     RuleStage::document,
     "OpenSM knows the nodes of a routing by GUIDs: roots are switches by their node GUID, I/O "
     "nodes are hosts by the GUIDs of their ports. OpenSM finds no node for a GUID of another "
     "kind, and says nothing.",
     "E-opensm-guid-files: opensm(8), --root_guid_file, --io_guid_file",
     "Name as roots unmanaged switches that have a `node_guid`, and as `io` hosts with a port "
     "in the network."},
};

bool is_engine(std::string_view name) {
  const std::vector<std::string> known = routing_engines();
  return std::find(known.begin(), known.end(), name) != known.end();
}

void check_engine(const SubnetManagerSpec& manager, Diagnostics& diagnostics) {
  for (const std::string_view part : split(manager.routing_engine.value, ',')) {
    const std::string_view engine = trim(part);
    if (engine.empty() || is_engine(engine)) continue;
    const std::vector<std::string> known = routing_engines();
    const std::string near = nearest(engine, known);
    diagnostics
        .error(
            "routing-engine-unknown",
            manager.routing_engine.range,
            fmt::format("'{}' is no routing engine", engine))
        .with_help(
            near.empty() ? "known are: " + fabric::join(known, ", ")
                         : fmt::format("did you mean '{}'?", near));
  }
}

// Reports engines that the OpenSM of a distribution lacks, if the document has that one.
void check_distribution(
    const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const std::optional<NdrNeed> ndr = ndr_need(context.spec(), network);
  const std::vector<std::string> lacking =
      network.subnet_manager ? vendor_engines(network.subnet_manager->routing_engine.value)
                             : std::vector<std::string>{};
  for (const SubnetManagerPlacement& placement : network.subnet_managers) {
    const NodeSpec* node = context.spec().find_node(placement.node.value);
    if (node == nullptr || !traits(node->platform.value).linux_host ||
        !has_distribution_opensm(*node))
      continue;
    const About about{diagnostics, node->name};
    constexpr std::string_view kHelp =
        "write `software: {stack: doca}` or `mlnx_ofed` and install it there, or let a switch "
        "manage the subnet";
    if (!lacking.empty()) {
      diagnostics
          .warning(
              "routing-engine-lacking",
              network.subnet_manager->routing_engine.range,
              fmt::format(
                  "{} has the OpenSM of its distribution, which has no routing engine {}",
                  node->name.str(),
                  fabric::join(lacking, ", ")))
          .with_note(placement.node.range, "it manages the network")
          .with_help(std::string{kHelp});
    }
    if (!ndr) continue;
    diagnostics
        .warning(
            "sm-ndr-unsupported",
            placement.node.range,
            fmt::format(
                "{} has the OpenSM of its distribution, which does not manage NDR links properly, "
                "and {} {}",
                node->name.str(),
                ndr->card,
                ndr->declared ? "runs NDR in its network" : "can do NDR"))
        .with_help(std::string{kHelp});
  }
}

bool is_member(const Context& context, const NetworkSpec& network, const NodeSpec& node) {
  const std::vector<PortRef>& members = context.members(network);
  return std::any_of(
      members.begin(), members.end(), [&](const PortRef& port) { return port.node == node.name; });
}

// Why OpenSM can't use this root; "" if it can. It knows roots by node GUID, which the document
// does not have for a managed switch.
std::string why_no_root(const NodeSpec& node, bool in_network) {
  if (!is_switch(node.platform.value)) return "it is no switch";
  if (!in_network) return "it has no port in the network";
  return node.node_guid.value.empty() ? "the document has no `node_guid` of it" : "";
}

std::string why_no_io(const NodeSpec& node, bool in_network) {
  if (is_switch(node.platform.value)) return "it is a switch";
  return in_network ? "" : "it has no port in the network";
}

void check_routing_nodes(
    const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const SubnetManagerSpec& manager = *network.subnet_manager;
  struct Role {
    const std::vector<Sourced<std::string>>& names;
    const char* what;
    std::string (*why_not)(const NodeSpec&, bool in_network);
    const char* help;
  };
  for (const Role& role :
       {Role{
            manager.roots,
            "a root",
            why_no_root,
            "OpenSM knows roots by their node GUIDs: name unmanaged switches that have a "
            "`node_guid`, or leave `roots` out and OpenSM looks for them"},
        Role{
            manager.io,
            "an I/O node",
            why_no_io,
            "OpenSM knows I/O nodes by the GUIDs of their ports: name hosts with a port in the "
            "network"}}) {
    for (const Sourced<std::string>& name : role.names) {
      const NodeSpec* node = context.spec().find_node(name.value);
      if (node == nullptr) continue;
      const std::string why = role.why_not(*node, is_member(context, network, *node));
      if (why.empty()) continue;
      diagnostics
          .error(
              "routing-node-unfit",
              name.range,
              fmt::format(
                  "{} can't be {} of network {}: {}", name.value, role.what, network.name, why))
          .about(node->name)
          .because_of(network.unread_end)
          .with_note(node->range, "the node")
          .with_help(role.help);
    }
  }
}

// Only these ask for roots; of them the fat trees ask for I/O nodes.
constexpr std::array<std::string_view, 5> kTrees{"updn", "dnup", "ftree", "ar_updn", "ar_ftree"};

void check_tree(const NetworkSpec& network, Diagnostics& diagnostics) {
  const SubnetManagerSpec& manager = *network.subnet_manager;
  const std::vector<Sourced<std::string>>& named =
      manager.roots.empty() ? manager.io : manager.roots;
  if (named.empty()) return;
  for (const std::string_view part : split(manager.routing_engine.value, ',')) {
    const std::string_view engine = trim(part);
    if ((!engine.empty() && !is_engine(engine)) ||
        std::find(kTrees.begin(), kTrees.end(), engine) != kTrees.end())
      return;
  }
  const std::string engine =
      manager.routing_engine.value.empty() ? "minhop" : manager.routing_engine.value;
  diagnostics
      .warning(
          "routing-without-tree",
          named.front().range,
          fmt::format(
              "`{}` of network {} has no effect: routing engine {} knows no tree",
              manager.roots.empty() ? "io" : "roots",
              network.name,
              engine))
      .with_help("choose a `routing_engine` that does: updn or ftree");
}

// Reports roots with hosts: such a switch is at the other end of the tree.
void check_leaves(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  std::map<std::string, const CableSpec*> leaves;
  for (const CableSpec& cable : network.cables) {
    for (const auto& [end, other] :
         {std::pair{&cable.a, &cable.b}, std::pair{&cable.b, &cable.a}}) {
      if (end->value.adapter.empty() && !other->value.adapter.empty())
        leaves.emplace(end->value.node.str(), &cable);
    }
  }
  for (const Sourced<std::string>& root : network.subnet_manager->roots) {
    const auto leaf = leaves.find(root.value);
    const NodeSpec* node = context.spec().find_node(root.value);
    if (leaf == leaves.end() || node == nullptr || leaves.size() < 2) continue;
    diagnostics
        .warning(
            "routing-root-leaf",
            root.range,
            fmt::format(
                "{} is a root of network {} and has hosts: roots are the spines of a tree",
                root.value,
                network.name))
        .about(node->name)
        .with_note(leaf->second->range, "a host is cabled to it here")
        .with_help("name the spines, or leave `roots` out and OpenSM looks for them");
  }
}

}  // namespace

RuleRows routing_rules() {
  return kRoutingRules;
}

void check_routing(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, network] : context.spec().networks) {
    if (network.mode.value != Mode::infiniband) continue;
    check_distribution(context, network, diagnostics);
    if (!network.subnet_manager) continue;
    const About about{diagnostics, name};
    check_engine(*network.subnet_manager, diagnostics);
    check_routing_nodes(context, network, diagnostics);
    check_tree(network, diagnostics);
    check_leaves(context, network, diagnostics);
  }
}

}  // namespace fabric::rules
