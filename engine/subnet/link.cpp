// SPDX-License-Identifier: Apache-2.0
#include "engine/subnet/link.hpp"

#include <algorithm>
#include <iterator>

namespace fabric {

namespace {

struct Speed {
  IbSpeed speed;
  std::string_view name;
  // The rate as libibmad prints it; "" if another speed has the same text.
  std::string_view printed;
  double lane_gbps;
};

constexpr Speed kSpeeds[] = {
    {IbSpeed::sdr, "SDR", "2.5", 2.5},
    {IbSpeed::ddr, "DDR", "5.0", 5.0},
    {IbSpeed::qdr, "QDR", "10.0", 10.0},
    // "10.0 Gbps (FDR10)".
    {IbSpeed::fdr10, "FDR10", "", 10.3125},
    {IbSpeed::fdr, "FDR", "14.0625", 14.0625},
    {IbSpeed::edr, "EDR", "25.78125", 25.78125},
    {IbSpeed::hdr, "HDR", "53.125", 53.125},
    {IbSpeed::ndr, "NDR", "106.25", 106.25},
    {IbSpeed::xdr, "XDR", "212.5", 212.5},
};

struct PortState {
  IbPortState state;
  std::string_view name;
};

constexpr PortState kPortStates[] = {
    {IbPortState::down, "Down"},
    {IbPortState::initialize, "Initialize"},
    {IbPortState::armed, "Armed"},
    {IbPortState::active, "Active"},
};

struct PhysicalState {
  IbPhysicalState state;
  std::string_view name;
};

constexpr PhysicalState kPhysicalStates[] = {
    {IbPhysicalState::sleep, "Sleep"},
    {IbPhysicalState::polling, "Polling"},
    {IbPhysicalState::disabled, "Disabled"},
    {IbPhysicalState::training, "PortConfigurationTraining"},
    {IbPhysicalState::link_up, "LinkUp"},
    {IbPhysicalState::recovery, "LinkErrorRecovery"},
    {IbPhysicalState::phy_test, "PhyTest"},
};

// The rows stand in the order of their enumerators.
template <class Row, std::size_t count, class Enumerator>
const Row& row_of(const Row (&table)[count], Enumerator enumerator) {
  return table[static_cast<std::size_t>(enumerator)];
}

}  // namespace

std::string_view speed_name(IbSpeed speed) {
  return row_of(kSpeeds, speed).name;
}

double lane_gbps(IbSpeed speed) {
  return row_of(kSpeeds, speed).lane_gbps;
}

std::optional<IbSpeed> speed_of_name(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kSpeeds), std::end(kSpeeds), [name](const Speed& each) {
        return each.name == name;
      });
  return found == std::end(kSpeeds) ? std::nullopt : std::optional{found->speed};
}

std::optional<IbSpeed> speed_of_rate(std::string_view gbps) {
  const auto* const found =
      std::find_if(std::begin(kSpeeds), std::end(kSpeeds), [gbps](const Speed& each) {
        return !gbps.empty() && each.printed == gbps;
      });
  return found == std::end(kSpeeds) ? std::nullopt : std::optional{found->speed};
}

bool is_lane_count(std::int64_t lanes) {
  return lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 12;
}

std::string_view state_name(IbPortState state) {
  return row_of(kPortStates, state).name;
}

std::optional<IbPortState> port_state(std::string_view name) {
  if (name == "Initializing") return IbPortState::initialize;
  const auto* const found =
      std::find_if(std::begin(kPortStates), std::end(kPortStates), [name](const PortState& each) {
        return each.name == name;
      });
  return found == std::end(kPortStates) ? std::nullopt : std::optional{found->state};
}

std::string_view state_name(IbPhysicalState state) {
  return row_of(kPhysicalStates, state).name;
}

std::optional<IbPhysicalState> physical_state(std::string_view name) {
  const auto* const found = std::find_if(
      std::begin(kPhysicalStates), std::end(kPhysicalStates), [name](const PhysicalState& each) {
        return each.name == name;
      });
  return found == std::end(kPhysicalStates) ? std::nullopt : std::optional{found->state};
}

}  // namespace fabric
