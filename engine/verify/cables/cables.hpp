// SPDX-License-Identifier: Apache-2.0
// Judges cables and what they lead to: each declared cable by link state and LLDP or by the subnet,
// cables and GUIDs that nobody declared, and the networks at the ports of both ends.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/evidence.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/cables/wire_cables.hpp"
#include "engine/verify/report/cable_report.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

// Returns one report for each declared cable, in order of network, then of the document.
std::vector<CableReport> judge_cables(
    const FabricSpec& spec, const discovery::Evidence& evidence, const WireCables& wire);

// The report of a cable to a node that is down or to be released; it causes no finding.
CableReport offline_cable(
    const FabricSpec& spec, const CableSpec& cable, const NetworkSpec& network);

// Adds one finding for each broken cable, and one a network for those that could not be judged
// (`cable-unproven`). A cable that is dark or unknown because a node at its end was not reached is
// a consequence of that.
void add_cable_findings(
    const FabricSpec& spec, const std::vector<CableReport>& cables, Findings& findings);
// Rule `cable-unexpected`: more than a handful are summed up by one finding, whose consequences the
// others are.
void add_unexpected_findings(
    const FabricSpec& spec, const std::vector<UnexpectedCable>& cables, Findings& findings);
// Rule `identity-duplicate`.
void add_shared_guid_findings(const std::vector<SharedGuid>& guids, Findings& findings);

// True if the readings of the node say that the firmware of the port's card takes LLDP frames, so
// that the node's own agent gets none.
bool takes_lldp_in_firmware(const discovery::Evidence& evidence, const PortRef& port);

// Rule `lldp-in-firmware`: one finding for each adapter at the end of a cable that could not be
// judged, where the link is up and lldpd runs but hears no neighbour.
void add_firmware_lldp_findings(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::vector<CableReport>& cables,
    Findings& findings);

// The nodes at whose ports VLANs, addresses and routes are compared with the document.
enum class ComparedAt : std::uint8_t { switches, switches_and_hosts };

// Pings pass where all ports of a network are in one wrong VLAN, so each port is compared. Rules
// switch-vlan-differs, and switch-vlan-unknown where the switch was asked and its answer does
// not tell. At hosts also rule host-network-differs, of managed hosts: pings pass with a wrong
// prefix, and no address of a route is pinged. An interface without any address has other findings:
// no path of it passes.
std::vector<Diagnostic> network_differences(
    const FabricSpec& spec,
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    ComparedAt where);

}  // namespace fabric::verify
