// SPDX-License-Identifier: Apache-2.0
// What a subnet manager has to know of the speed of its network: not every OpenSM manages NDR.
#pragma once

#include <string_view>

namespace fabric::keys {

// Of a subnet manager whose network has cards that can do NDR: {"card": "c1/hca (ConnectX-7 VPI)",
// "declared": whether the document gives a cable that speed}. Left out where all cables are slower.
inline constexpr std::string_view kNdr = "ndr";

}  // namespace fabric::keys
