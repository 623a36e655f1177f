// SPDX-License-Identifier: Apache-2.0
// What a subnet manager has to know of its network and not every OpenSM does: NDR links, and the
// routing engines of NVIDIA's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

struct NdrNeed {
  std::string card;       // "c1/hca (ConnectX-7 VPI)"
  bool declared = false;  // by the speed of a cable, or by the models at both of its ends
};
// Nullopt where all cables are slower, or no card can do NDR.
std::optional<NdrNeed> ndr_need(const FabricSpec& spec, const NetworkSpec& network);

// The document says that the node has the OpenSM of its distribution, or gets it.
bool has_distribution_opensm(const NodeSpec& node);

// The engines in `routing_engine` ("ar_updn, updn") that the OpenSM of distributions lacks.
std::vector<std::string> vendor_engines(std::string_view routing_engine);
// Every engine that some OpenSM has.
std::vector<std::string> routing_engines();

namespace keys {

// Of a subnet manager whose network needs NDR: {"card", "declared"} as NdrNeed.
inline constexpr std::string_view kNdr = "ndr";
// The software stack of its node, as the document has it.
inline constexpr std::string_view kStack = "stack";

}  // namespace keys

}  // namespace fabric
