// SPDX-License-Identifier: Apache-2.0
// `show interfaces port-channel summary` and `show interfaces mlag-port-channel summary` of an Onyx
// switch: the LACP state of the members of its channels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// E-onyx-channel-members
enum class OnyxMemberState : std::uint8_t {
  bundled,     // P: it carries traffic
  suspended,   // S: LACP hears another partner, key or speed than at the others
  individual,  // I: no LACP is heard
  down         // D
};

struct OnyxChannelMember {
  std::string port;  // "1/7"
  OnyxMemberState state = OnyxMemberState::down;
};

struct OnyxChannel {
  std::string name;  // "Po7", "Mpo7"
  std::string type;  // "LACP", "Static"
  // Members on this switch: for a channel over a pair, the other switch's are in another column.
  std::vector<OnyxChannelMember> members;
  std::size_t line = 1;
};

// In the order of the table, which may be empty. Fails with ErrorCode::invalid, "line N: ...", on a
// text that is no such table and on a row of another shape.
Result<std::vector<OnyxChannel>> parse_onyx_channels(std::string_view text);
Value to_value(const std::vector<OnyxChannel>& channels);

}  // namespace fabric::providers
