// SPDX-License-Identifier: Apache-2.0
// `show ...` of MLNX-OS and Onyx switches: the output of one command, without prompt and echo.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

enum class OnyxForm : std::uint8_t {
  json,           // `| json-print`
  sections,       // "key : value" lines, under headings or not
  configuration,  // `show running-config`, `show configuration files NAME`
  answer          // one word: `show ib sm`
};

// "json", "sections", "configuration", "answer".
std::string_view form_name(OnyxForm form);

struct OnyxEntry {
  std::string key;                   // as printed; "" = a line that has no key
  std::optional<std::string> value;  // nullopt: "N/A"; "" = nothing was printed
  std::size_t line = 1;
};

struct OnyxSection {
  // The headings above it, outermost first: {"Eth1/1", "Rx"}; empty before the first heading.
  std::vector<std::string> headings;
  std::vector<OnyxEntry> entries;
  std::size_t line = 1;
};

struct OnyxCommand {
  std::string text;
  std::size_t line = 1;
};

struct OnyxShow {
  OnyxForm form = OnyxForm::sections;
  Value json;                         // of equal keys the last; Onyx prints some twice
  std::vector<OnyxSection> sections;  // in order, those with entries
  std::string database;               // `configuration`: its name
  std::vector<OnyxCommand> commands;  // `configuration`: in order
  std::string answer;                 // lower case: "enable", "not active"
};

// Terminal escapes are skipped. Fails with ErrorCode::invalid, "line N: ...", on a refusal of the
// switch ("% Unrecognized command"; its exit status is always 0), on a prompt, on the text of the
// pager, on a table (use `| json-print`) and on any other shape.
Result<OnyxShow> parse_onyx_show(std::string_view text);
Value to_value(const OnyxShow& show);

// `show interfaces port-channel summary` and `show interfaces mlag-port-channel summary` of an Onyx
// switch: the LACP state of the members of its channels.
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

// `show lldp remote | json-print` of Onyx, and the same from its JSON interface.
struct OnyxNeighbour {
  std::string local_port;   // "1/4" of "Eth1/4 (Po100)"
  std::string chassis_id;   // "" = not advertised
  std::string port_id;      // the same
  std::string system_name;  // the same
  friend bool operator==(const OnyxNeighbour&, const OnyxNeighbour&) = default;
};

// Sorted by port name; empty if no neighbour is heard. Fails with ErrorCode::invalid, "line N:
// ...", on a text that is no JSON of neighbours.
Result<std::vector<OnyxNeighbour>> parse_onyx_lldp(std::string_view text);
Value to_value(const std::vector<OnyxNeighbour>& neighbours);

// `show ib partition` of MLNX-OS, in both layouts: before 3.6.8010 "PKey      = 0x7FFF", since then
// "PKey : 0x7FFF".
struct OnyxPartition {
  std::string name;
  std::uint16_t pkey = 0;  // without the membership bit
  std::optional<bool> ipoib;
  struct Member {
    std::string who;         // "ALL", "e4:1d:2d:03:00:15:6e:80" in lower case
    std::string membership;  // "full", "limited", "both"
    friend bool operator==(const Member&, const Member&) = default;
  };
  std::vector<Member> members;  // in order
};

// Fails with ErrorCode::invalid, "line N: ...", on a line that begins with "%", on a text without a
// partition, since the default one always exists, and on a partition without its key.
Result<std::vector<OnyxPartition>> parse_onyx_partitions(std::string_view text);
Value to_value(const std::vector<OnyxPartition>& partitions);

// `show roce` of an Onyx switch.
struct OnyxRoce {
  std::string mode;               // "lossless", "semi-lossless", "lossy"; "" = off
  std::string trust;              // "L3" (DSCP), "L2" (PCP), "both"
  std::string congestion_mode;    // "ecn, absolute"
  std::vector<std::int64_t> pfc;  // priorities that have it, in order
};
// Fails with ErrorCode::invalid, "line N: ...", where no line tells the mode.
Result<OnyxRoce> parse_onyx_roce(std::string_view text);
Value to_value(const OnyxRoce& roce);

}  // namespace fabric::providers
