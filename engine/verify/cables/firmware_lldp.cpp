// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/verify/cables/cables.hpp"

namespace fabric::verify {

namespace {

bool hears_nobody(const discovery::Evidence& evidence, const PortRef& port) {
  if (port.adapter.empty() || !evidence.node(port.node).lldp) return false;
  const discovery::PortEvidence found = evidence.port(port);
  return found.device && found.device->carrier == true && found.neighbours.empty();
}

std::string params(const std::set<std::string>& ports) {
  std::vector<std::string> all;
  for (const std::string& port : ports)
    all.push_back(fmt::format("LLDP_NB_RX_MODE_P{}: 0", port));
  return join(all, ", ");
}

}  // namespace

bool takes_lldp_in_firmware(const discovery::Evidence& evidence, const PortRef& port) {
  if (port.adapter.empty()) return false;
  const std::string ports = evidence.adapter_text(port.node, port.adapter, "lldp_in_firmware");
  const std::vector<std::string_view> numbers = split(ports, ',');
  return std::ranges::any_of(
      numbers, [&](std::string_view number) { return trim(number) == port.port; });
}

void add_firmware_lldp_findings(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::vector<CableReport>& cables,
    Findings& findings) {
  std::map<std::pair<NodeName, std::string>, std::set<std::string>> deaf;  // ports by adapter
  for (const CableReport& cable : cables) {
    if (cable.state != CableState::no_data || cable.infiniband) continue;
    for (const PortRef* port : {&cable.a, &cable.b}) {
      if (hears_nobody(evidence, *port) && takes_lldp_in_firmware(evidence, *port))
        deaf[{port->node, port->adapter}].insert(port->port);
    }
  }
  for (const auto& [adapter, ports] : deaf) {
    const auto& [node, name] = adapter;
    findings.add(
        {Severity::warning,
         "lldp-in-firmware",
         place_of_node(spec, node),
         fmt::format(
             "the firmware of {}/{} takes the LLDP frames of {} {}, so lldpd on {} hears no "
             "neighbour there",
             node.str(),
             name,
             ports.size() == 1 ? "port" : "ports",
             join(std::vector<std::string>{ports.begin(), ports.end()}, ", "),
             node.str()),
         fmt::format("write `firmware: {{params: {{{}}}}}` at the adapter", params(ports)),
         {},
         {node, name}});
  }
}

}  // namespace fabric::verify
