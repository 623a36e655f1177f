// SPDX-License-Identifier: Apache-2.0
// Judges the true state of links, one by one and both ends together: speed, FEC, module, bit
// errors, slot. Pure.
#pragma once

#include <map>
#include <vector>

#include "engine/discovery/evidence.hpp"
#include "engine/platform/link_readings.hpp"
#include "engine/verify/report/cable_report.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/link_report.hpp"

namespace fabric::verify {

using LinksByNode = std::map<NodeName, platform::LinkReadings>;

// Reports every member port of a host that was reached, and of a switch that shows its FEC, in
// order of port.
std::vector<LinkReport> link_reports(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, const LinksByNode& readings);

// Proves cables by serial numbers: both plugs of a cable have the same one. Where LLDP is
// ambiguous, equal ones prove the cable; separate plugs (transceivers) prove nothing.
void prove_by_serials(const std::vector<LinkReport>& links, std::vector<CableReport>& cables);

// Rules: link-below-capability, fec-differs, fec-uncorrectable, module-hot, module-dark,
// module-alarm, bit-errors-high, pcie-link-degraded, pcie-errors, chain-buffers-zero,
// cable-differs. At the end of a broken cable they are its consequences.
void add_link_findings(
    const FabricSpec& spec, const std::vector<LinkReport>& links, Findings& findings);

// Rules: firmware-not-uniform, address-duplicate: equal cards with different firmware, cards with
// one address. read-request-small, iommu-translates: how the node has set up the slot of a card.
void add_card_findings(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::vector<LinkReport>& links,
    Findings& findings);

}  // namespace fabric::verify
