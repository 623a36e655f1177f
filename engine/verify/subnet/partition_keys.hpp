// SPDX-License-Identifier: Apache-2.0
// Compares the P_Key table of a port with the document's partitions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/verify/report/reports.hpp"

namespace fabric::verify {

inline constexpr std::uint16_t kFullMember = 0x8000;
inline constexpr std::uint16_t kPkeyIdentity = 0x7fff;

// True if the port is a full member. Nullopt if it is no member, or if only SELF could mean it and
// whether it does is unknown.
std::optional<bool> membership(
    const NetworkSpec& network, const PartitionSpec& partition, const PortRef& port);

// Returns the keys that the document gives the port and `table`, without empty entries, lacks.
std::vector<WrongKey> wrong_keys(
    const NetworkSpec& network, const PortRef& port, const std::vector<std::uint16_t>& table);

// Returns the keys of `table` that the document does not give the port, except those that
// `wrong_keys` names. Every port is in the default partition, and full only where the document says
// so. A network without partitions and with an external manager says nothing about keys.
std::vector<SurplusKey> surplus_keys(
    const NetworkSpec& network, const PortRef& port, const std::vector<std::uint16_t>& table);

}  // namespace fabric::verify
