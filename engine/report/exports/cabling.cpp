// SPDX-License-Identifier: Apache-2.0
#include "engine/report/exports/cabling.hpp"

#include <set>

#include <fmt/format.h>

#include "engine/report/diagnostics/ring_pairs.hpp"
#include "engine/report/dot.hpp"
#include "engine/report/exports/exports.hpp"

namespace fabric::report {

Result<std::vector<ExportedCable>> exported_cables(
    const FabricSpec& spec, Wire wire, std::string_view format) {
  std::vector<ExportedCable> cables;
  for (const auto& [name, network] : spec.networks) {
    const bool infiniband = network.mode.value == Mode::infiniband;
    if (wire != Wire::any && infiniband != (wire == Wire::infiniband)) continue;
    for (const CableSpec& cable : network.cables)
      cables.push_back({&cable, &network});
  }
  if (!cables.empty()) return cables;
  const char* kind = "";
  if (wire == Wire::infiniband) kind = " of an InfiniBand network";
  if (wire == Wire::lldp) kind = " of a network without InfiniBand";
  return Error{
      ErrorCode::invalid,
      fmt::format("{} lists cables, and the document has none{}", format, kind)};
}

bool is_exported(const NodeSpec& node) {
  return node.state.value != NodeState::absent;
}

std::string host_port_text(const FabricSpec& spec, const PortRef& port, bool only_adapter) {
  const NodeSpec* node = spec.find_node(port.node.str());
  const bool is_only = node != nullptr && node->adapters->size() == 1;
  if (is_only && only_adapter) return "P" + port.port;
  return port.adapter + "/P" + port.port;
}

std::string interface_text(const FabricSpec& spec, const PortRef& port) {
  const NodeSpec* node = spec.find_node(port.node.str());
  if (port.adapter.empty()) {
    const bool is_number = port.port.find_first_not_of("0123456789") == std::string::npos;
    const auto prefix = node == nullptr ? "" : traits(node->platform.value).port_prefix;
    return is_number ? std::string{prefix} + port.port : port.port;
  }
  // Only the document can know how the host will call it.
  const AdapterSpec* adapter = node == nullptr ? nullptr : node->find_adapter(port.adapter);
  if (adapter != nullptr) {
    const auto name = adapter->names.find(port.number());
    if (name != adapter->names.end()) return name->second.value;
  }
  return host_port_text(spec, port, false);
}

// The addresses that two hosts of a ring of chaining cards use for each other, one line for each
// two hosts, network and way round: for the configuration of programs that use the ring.

Result<std::string> pairs_table(const FabricSpec& spec) {
  std::string text;
  for (const auto& [name, network] : spec.networks) {
    for (const RingPair& pair : ring_pairs(spec, network)) {
      for (const RingWay* way : {&pair.nearer, &pair.farther}) {
        text += fmt::format(
            "{}\t{}\t{}\t{}\t{}\t{}\n",
            name,
            pair.one.str(),
            pair.other.str(),
            way->from.str(),
            way->to.str(),
            way->cables);
      }
    }
  }
  if (text.empty()) {
    return Error{
        ErrorCode::invalid, "the document has no ring of chaining cards with IPv4 addresses"};
  }
  return "# network\tone\tother\taddress of one\taddress of other\tcables\n" + text;
}

// The topology of Cumulus' PTM: a DOT graph whose edges name ports as LLDP names them.

Result<std::string> ptm_topology(const FabricSpec& spec) {
  const auto cables = FABRIC_TRY(exported_cables(spec, Wire::lldp, "ptm"));
  std::string text = fmt::format("graph {} {{\n", dot_quote(spec.name.value));
  std::set<NodeName> told;
  for (const ExportedCable& each : cables) {
    for (const PortRef* port : {&each.cable->a.value, &each.cable->b.value}) {
      if (!told.insert(port->node).second) continue;
      text += fmt::format(
          "  {} [function={}];\n",
          dot_quote(port->node.str()),
          port->adapter.empty() ? "\"switch\"" : "\"host\"");
    }
  }
  for (const ExportedCable& each : cables) {
    const PortRef& a = each.cable->a.value;
    const PortRef& b = each.cable->b.value;
    text += fmt::format(
        "  {}:{} -- {}:{};\n",
        dot_quote(a.node.str()),
        dot_quote(interface_text(spec, a)),
        dot_quote(b.node.str()),
        dot_quote(interface_text(spec, b)));
  }
  return text + "}\n";
}

}  // namespace fabric::report
