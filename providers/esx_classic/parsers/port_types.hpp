// SPDX-License-Identifier: Apache-2.0
// The parameter `port_types` of mlx4_en on ESX 4: triplets of the decimal PCI bus, the port from 1,
// and its type, 1 InfiniBand or 2 Ethernet (E-esx-port-types). "13,1,1,13,2,2"
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"

namespace fabric::providers {

struct PortType {
  std::uint32_t bus = 0;
  std::uint32_t port = 1;
  std::uint32_t type = 1;
  bool operator==(const PortType&) const = default;
};

// In order; none for "". Fails with ErrorCode::invalid on all but triplets of numbers.
Result<std::vector<PortType>> parse_port_types(std::string_view text);
// The type in the last triplet of the port; nullopt if there is none.
std::optional<std::uint32_t> type_of(
    const std::vector<PortType>& types, std::uint32_t bus, std::uint32_t port);

}  // namespace fabric::providers
