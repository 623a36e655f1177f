// SPDX-License-Identifier: Apache-2.0
// The topology of Cumulus' PTM: a DOT graph whose edges name ports as LLDP names them.
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/report/dot.hpp"
#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"

namespace fabric::report {

namespace {

std::string port_text(const FabricSpec& spec, const PortRef& port) {
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

}  // namespace

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
        dot_quote(port_text(spec, a)),
        dot_quote(b.node.str()),
        dot_quote(port_text(spec, b)));
  }
  return text + "}\n";
}

}  // namespace fabric::report
