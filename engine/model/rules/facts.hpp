// Rules that need what the nodes tell. They run at plan time over the same spec and point at the
// same lines as check_rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

// What is not known is empty and judged by nobody.
struct AdapterFacts {
  std::string adapter;   // its name in the document
  std::string firmware;  // "16.22.1002"
  // Of the link as it was negotiated.
  std::optional<std::uint32_t> pcie_generation, pcie_width;
};

struct HostFacts {
  NodeName node;
  std::string kernel;     // "5.10.0-28-amd64"
  std::string mlnx_ofed;  // "4.9-6.0.6.0"; "" for the drivers of the kernel
  std::vector<AdapterFacts> adapters;
};

// Those of them that no rule of the document alone has: firmware-too-old, pcie-bandwidth.
RuleRows fact_rules();

// Rules: chain-mtu-firmware, firmware-too-old, lag-kernel-too-old, pcie-bandwidth. Nodes and
// adapters that are not in the document are skipped.
void check_fact_rules(
    const FabricSpec& spec, const std::vector<HostFacts>& hosts, Diagnostics& diagnostics);

}  // namespace fabric
