// SPDX-License-Identifier: Apache-2.0
// The topology of Cumulus' PTM: a DOT graph whose edges name ports as LLDP names them.
#include <set>

#include <fmt/format.h>

#include "engine/report/dot.hpp"
#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"

namespace fabric::report {

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
