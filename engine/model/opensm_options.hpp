// SPDX-License-Identifier: Apache-2.0
// Options of OpenSM's file, by name: which of them a document may set under
// `subnet_manager.options`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/value/value.hpp"

namespace fabric {

// An attribute of a subnet_manager, {NAME: value}; each is a feature, "options.lmc", whose place is
// that of the option.
inline constexpr std::string_view kManagerOptions = "options";
inline constexpr std::string_view kManagerOption = "options.";

enum class OpensmOptionClass : std::uint8_t {
  settable,
  decided,  // by another key of the document, or by fabric's own unit
  secret,   // a key of the subnet, or what keys are made of
  path,     // names a file, a folder or a program of the node
  opens     // loads code, or opens a console
};

struct OpensmOptionRule {
  OpensmOptionClass is = OpensmOptionClass::settable;
  std::string_view by;  // of `decided`: "`roots`"
};

// Any name has a class: what OpenSM of a vendor has beside the known ones is judged by its words.
OpensmOptionRule opensm_option_rule(std::string_view name);
// Why a value can't stand in the file as one that OpenSM reads back; "" if it can.
std::string why_no_opensm_value(std::string_view value);

// As the document has it: true and "TRUE" are one, and so are 18 and "0x12".
Value opensm_value(std::string_view text);
// As OpenSM reads it: everything but TRUE is false (E-opensm-options).
std::string opensm_text(const Value& value);

}  // namespace fabric
