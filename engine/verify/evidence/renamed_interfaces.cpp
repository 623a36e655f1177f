// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/evidence/renamed_interfaces.hpp"

#include <fmt/format.h>

namespace fabric::verify {

std::vector<Diagnostic> renamed_interfaces(
    const FabricSpec& spec, const discovery::Evidence& evidence) {
  std::vector<Diagnostic> findings;
  for (const auto& [node_name, node] : spec.nodes) {
    for (const AdapterSpec& adapter : *node.adapters) {
      for (const auto& [number, name] : adapter.names) {
        const PortRef port{node_name, adapter.name, std::to_string(number)};
        const discovery::PortEvidence found = evidence.port(port);
        if (!found.device || found.device->name == name.value) continue;
        findings.push_back(
            {Severity::error,
             "interface-renamed",
             name.range,
             fmt::format(
                 "the interface of {} is called {}, not {}",
                 port.str(),
                 found.device->name,
                 name.value),
             "run `fabric plan`: the configuration of that name does not match the interface",
             {},
             port.subject()});
      }
    }
  }
  return findings;
}

}  // namespace fabric::verify
