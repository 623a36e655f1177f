// SPDX-License-Identifier: Apache-2.0
// Cards whose firmware takes the LLDP frames of a port, so that the node's own agent gets none.
#pragma once

#include <vector>

#include "engine/discovery/evidence.hpp"
#include "engine/verify/report/cable_report.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

// True if the readings of the node say that the firmware of the port's card takes LLDP frames.
bool takes_lldp_in_firmware(const discovery::Evidence& evidence, const PortRef& port);

// Rule `lldp-in-firmware`: one finding for each adapter at the end of a cable that could not be
// judged, where the link is up and lldpd runs but hears no neighbour.
void add_firmware_lldp_findings(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::vector<CableReport>& cables,
    Findings& findings);

}  // namespace fabric::verify
