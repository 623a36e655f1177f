// SPDX-License-Identifier: Apache-2.0
// Judges the true state of links, one by one and both ends together: speed, FEC, module, bit
// errors, slot. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/discovery/evidence.hpp"
#include "engine/platform/link_readings.hpp"
#include "engine/verify/report/cable_report.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/reports.hpp"

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

// The limits of a bad link, for modules without limits of their own.
// Degrees Celsius of the module's case: commercial modules are made for 0 to 70 (E-link-module).
inline constexpr double kHottestModule = 70;
// The greatest bit error rates, before and after FEC (E-link-ber).
inline constexpr double kRawBitErrors = 1e-5;
inline constexpr double kEffectiveBitErrors = 1e-15;
// Correctable errors of PCIe since the boot: each costs a repeat, and a sound slot has next to none
// (E-pcie-errors).
inline constexpr std::uint64_t kCorrectablePcieErrors = 1000;

// The least PCIe MaxReadReq of a card of 100 Gb/s and more, in bytes (E-pcie-read-request).
inline constexpr std::uint32_t kReadRequest = 4096;
inline constexpr std::uint64_t kFastLinkMbps = 100'000;

// Compares equal nodes with each other to find the one that differs; nothing has to be declared for
// that.
// Rule `node-odd`, a warning for each property in which some nodes differ from most others, or in
// which no value is that of most. Nodes are of one kind if they have the same profiles and cards; a
// kind with one node is not compared. An unknown property of a node is not compared.
void add_odd_findings(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const std::vector<LinkReport>& links,
    Findings& findings);

}  // namespace fabric::verify
