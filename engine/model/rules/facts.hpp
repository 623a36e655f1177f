// SPDX-License-Identifier: Apache-2.0
// Rules that need the facts of the nodes. They run at plan time over the same spec and point at the
// same lines as check_rules.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

// An unknown value is empty and is not judged.
struct AdapterFacts {
  std::string adapter;   // its name in the document
  std::string firmware;  // "16.22.1002"
  // The generation and width of the negotiated link.
  std::optional<std::uint32_t> pcie_generation, pcie_width;
  // The speeds of ports with a link, by port number: a family has cards of several speeds.
  std::map<std::uint32_t, std::uint32_t> link_gbps{};
  bool dpu_mode = false;  // a BlueField whose own processors switch between host and ports
  // The GUIDs by port number; an Ethernet port has the GUID that it would have on InfiniBand.
  std::map<std::uint32_t, Guid> port_guids{};
  std::map<std::uint32_t, MacAddress> macs{};
  std::string serial{};
  // The system image GUID of a card that several hosts share, which is none of this host's own.
  std::string system_image{};
};

struct HostFacts {
  NodeName node;
  std::string kernel;     // "5.10.0-28-amd64"
  std::string mlnx_ofed;  // "4.9-6.0.6.0"; "" for the drivers of the kernel
  std::vector<AdapterFacts> adapters;
  std::optional<bool> forwards{};  // forwards IPv4 between any two of its interfaces
};

// The rules that need facts and have no twin among rules of the document: bluefield-mode,
// firmware-too-old, identity-duplicate, pcie-bandwidth.
RuleRows fact_rules();
namespace rules {
RuleRows identity_rules();
void check_identities(
    const FabricSpec& spec, const std::vector<HostFacts>& hosts, Diagnostics& diagnostics);
// isolated-forwards
void check_isolated_now(
    const FabricSpec& spec, const std::vector<HostFacts>& hosts, Diagnostics& diagnostics);
}  // namespace rules

// Rules: bluefield-mode, chain-mtu-firmware, firmware-too-old, identity-duplicate,
// isolated-forwards, lag-kernel-too-old, pcie-bandwidth.
// Nodes and adapters that are not in the document are skipped.
void check_fact_rules(
    const FabricSpec& spec, const std::vector<HostFacts>& hosts, Diagnostics& diagnostics);

}  // namespace fabric
