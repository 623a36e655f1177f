// SPDX-License-Identifier: Apache-2.0
#include "engine/report/exports/cabling.hpp"

#include <fmt/format.h>

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

}  // namespace fabric::report
