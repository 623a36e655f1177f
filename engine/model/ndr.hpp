// SPDX-License-Identifier: Apache-2.0
// The abilities that a network needs of its subnet manager and not every OpenSM has: NDR links, and
// NVIDIA's routing engines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/spec.hpp"

namespace fabric {

struct NdrNeed {
  std::string card;       // "c1/hca (ConnectX-7 VPI)"
  bool declared = false;  // known by the speed of a cable, or by the models at both of its ends
};
// The need for NDR; nullopt if all cables are slower, or no card can do NDR.
std::optional<NdrNeed> ndr_need(const FabricSpec& spec, const NetworkSpec& network);

// True if the node has or gets the OpenSM of its distribution, by the document.
bool has_distribution_opensm(const NodeSpec& node);

// The engines in `routing_engine` ("ar_updn, updn") that the OpenSM of distributions lacks.
std::vector<std::string> vendor_engines(std::string_view routing_engine);
// Every engine that some OpenSM has.
std::vector<std::string> routing_engines();

namespace keys {

// Key for a subnet manager whose network needs NDR: {"card", "declared"} as NdrNeed.
inline constexpr std::string_view kNdr = "ndr";
// Key for the software stack of its node, as in the document.
inline constexpr std::string_view kStack = "stack";

}  // namespace keys

}  // namespace fabric
