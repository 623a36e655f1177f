// SPDX-License-Identifier: Apache-2.0
// Cables for NetBox's bulk import: one row each. Devices and interfaces have to be there already.
#include <algorithm>

#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"
#include "engine/report/tables/tables.hpp"

namespace fabric::report {

namespace {

// NetBox refuses the whole list for one type that it does not have (E-netbox-cables).
std::string netbox_type(const std::string& type) {
  if (type == "dac") return "dac-passive";
  for (const char* known :
       {"cat5e",
        "cat6",
        "cat6a",
        "cat7",
        "cat7a",
        "cat8",
        "dac-active",
        "dac-passive",
        "coaxial",
        "mmf",
        "mmf-om1",
        "mmf-om2",
        "mmf-om3",
        "mmf-om4",
        "mmf-om5",
        "smf",
        "smf-os1",
        "smf-os2",
        "aoc"}) {
    if (type == known) return type;
  }
  return {};
}

}  // namespace

Result<std::string> netbox_cables(const FabricSpec& spec) {
  const auto cables = FABRIC_TRY(exported_cables(spec, Wire::any, "netbox"));
  const std::vector<std::string> head{
      "side_a_device",
      "side_a_type",
      "side_a_name",
      "side_b_device",
      "side_b_type",
      "side_b_name",
      "type",
      "label",
      "length",
      "length_unit"};
  std::string text = csv_row(head);
  for (const ExportedCable& each : cables) {
    const CableSpec& cable = *each.cable;
    // "3m", "1.5 m"
    const std::size_t end =
        std::min(cable.length.find_first_not_of("0123456789."), cable.length.size());
    std::string unit = cable.length.substr(
        std::min(cable.length.find_first_not_of(' ', end), cable.length.size()));
    if (end == 0) unit.clear();
    const std::vector<std::string> row{
        cable.a.value.node.str(),
        "dcim.interface",
        interface_text(spec, cable.a.value),
        cable.b.value.node.str(),
        "dcim.interface",
        interface_text(spec, cable.b.value),
        netbox_type(cable.type),
        cable.label,
        cable.length.substr(0, end),
        unit};
    text += csv_row(row);
  }
  return text;
}

}  // namespace fabric::report
