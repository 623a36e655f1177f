// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

#include "engine/base/text.hpp"
#include "providers/infiniband/parsers/ib_messages.hpp"
#include "providers/infiniband/parsers/ibnetdiscover_ports.hpp"
#include "providers/infiniband/parsers/ibnetdiscover_topology.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

// The first line of either form decides.
bool is_port_list(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (is_port_list_line(line)) return true;
    if (is_topology_line(line)) return false;
  }
  return false;
}

Error no_nodes(const ObservedTopology& topology) {
  for (const ToolNote& note : topology.notes) {
    if (is_fatal(note.text)) return error_at(note.line, 1, note.text);
  }
  const std::size_t line = topology.notes.empty() ? 1 : topology.notes.front().line;
  return error_at(line, 1, "no node of a subnet");
}

}  // namespace

Result<ObservedTopology> parse_ibnetdiscover(std::string_view text) {
  ObservedTopology topology =
      FABRIC_TRY(is_port_list(text) ? read_port_list(text) : read_topology(text));
  if (topology.nodes.empty()) return no_nodes(topology);
  return topology;
}

}  // namespace fabric::providers
