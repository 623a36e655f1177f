// SPDX-License-Identifier: Apache-2.0
// The IP MTUs that a document may ask for.
#pragma once

#include <cstdint>

namespace fabric {

// That the Ethernet drivers take: RFC 791 to the maximum of mlx5.
inline constexpr std::uint32_t kSmallestMtu = 68;
inline constexpr std::uint32_t kLargestMtu = 9978;
// Where IPv6 runs: RFC 8200.
inline constexpr std::uint32_t kSmallestMtuOfIpv6 = 1280;
// Of IPoIB in connected mode (E-ipoib-connected).
inline constexpr std::uint32_t kConnectedMtu = 65520;

}  // namespace fabric
