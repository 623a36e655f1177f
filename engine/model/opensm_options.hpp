// SPDX-License-Identifier: Apache-2.0
// The options of OpenSM's file, and which of them a document may set under
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
  decided,  // set by another key of the document, or by fabric's own unit
  secret,   // a key of the subnet, or the input for keys
  path,     // names a file, a folder or a program of the node
  opens     // loads code, or opens a console
};

struct OpensmOptionRule {
  OpensmOptionClass is = OpensmOptionClass::settable;
  std::string_view by;  // the key for `decided`: "`roots`"
};

// The class of any name: an option unknown here, of a vendor's OpenSM, is judged by its words.
OpensmOptionRule opensm_option_rule(std::string_view name);
// Why OpenSM could not read the value back from its file; "" if it can.
std::string why_no_opensm_value(std::string_view value);

// The document's text as a value: true and "TRUE" are equal, and so are 18 and "0x12".
Value opensm_value(std::string_view text);
// The value as OpenSM reads it: everything but TRUE is false (E-opensm-options).
std::string opensm_text(const Value& value);

}  // namespace fabric
