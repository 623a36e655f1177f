// SPDX-License-Identifier: Apache-2.0
// The node name map of infiniband-diags and OpenSM: the document's names of nodes with known GUIDs.
#include <fmt/format.h>

#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"

namespace fabric::report {

Result<std::string> node_name_map(const FabricSpec& spec) {
  std::string lines;
  for (const auto& [name, node] : spec.nodes) {
    if (!is_exported(node)) continue;
    if (!node.node_guid.value.empty())
      lines += fmt::format("{} \"{}\"\n", node.node_guid.value, name.str());
    for (const AdapterSpec& adapter : *node.adapters) {
      const std::string& guid = adapter.selector.node_guid.value;
      if (!guid.empty()) lines += fmt::format("{} \"{} {}\"\n", guid, name.str(), adapter.name);
    }
  }
  if (lines.empty())
    return Error{ErrorCode::invalid, "no switch and no adapter of the document has a node_guid"};
  return "# written by fabric export ib-node-name-map\n" + lines;
}

}  // namespace fabric::report
