// SPDX-License-Identifier: Apache-2.0
// `show ...` of MLNX-OS and Onyx switches: the output of one command, without prompt and echo.
#pragma once

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

}  // namespace fabric::providers
