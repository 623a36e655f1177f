// SPDX-License-Identifier: Apache-2.0
// Speeds and states of InfiniBand links in the words of the diagnostics tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fabric {

enum class IbSpeed : std::uint8_t { sdr, ddr, qdr, fdr10, fdr, edr, hdr, ndr, xdr };

// "SDR", "FDR10", "HDR".
std::string_view speed_name(IbSpeed speed);
// Signalling rate of one lane in Gb/s: 2.5, 10.3125, 53.125.
double lane_gbps(IbSpeed speed);
// Nullopt for "???" and unknown names.
std::optional<IbSpeed> speed_of_name(std::string_view name);
// From "10.0", "14.0625", as iblinkinfo prints the rate of one lane.
std::optional<IbSpeed> speed_of_rate(std::string_view gbps);

// True for 1, 2, 4, 8, 12.
bool is_lane_count(std::int64_t lanes);

enum class IbPortState : std::uint8_t { down, initialize, armed, active };

std::string_view state_name(IbPortState state);
// Nullopt for unknown names; "Initialize" and "Initializing" are one state.
std::optional<IbPortState> port_state(std::string_view name);

enum class IbPhysicalState : std::uint8_t {
  sleep,
  polling,
  disabled,
  training,
  link_up,
  recovery,
  phy_test
};

std::string_view state_name(IbPhysicalState state);
std::optional<IbPhysicalState> physical_state(std::string_view name);

}  // namespace fabric
