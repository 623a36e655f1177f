// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/subnet_guids.hpp"

#include "engine/subnet/node_description.hpp"
#include "engine/verify/cables/wire_adapters.hpp"
#include "engine/verify/cables/wire_ports.hpp"
#include "engine/verify/cables/wire_switches.hpp"

namespace fabric::verify {

std::map<PortRef, Guid> guids_in_subnets(
    const FabricSpec& spec, const WireEvidence& evidence, const std::set<PortRef>& ports) {
  std::map<PortRef, Guid> found;
  const WirePorts seen{evidence.views};
  const WireSwitches switches{spec, seen};
  const WireAdapters adapters{spec, evidence, seen, switches};
  for (const PortRef& port : ports) {
    const Place place = adapters.place(port);
    if (!place.at) continue;
    const std::string host = describe_adapter(seen.nodes()[place.at->node].name).host;
    const auto guid = seen.port_guid(*place.at);
    if (guid && !host.empty() && host_label(host) == host_label(port.node.str()))
      found.emplace(port, *guid);
  }
  return found;
}

}  // namespace fabric::verify
