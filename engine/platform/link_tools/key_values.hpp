// SPDX-License-Identifier: Apache-2.0
// Texts of lines "KEY : VALUE", as ethtool and mlxlink print them: keys are padded, headings have
// no colon, and one key may stand several times.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabric::platform {

struct KeyValue {
  std::string_view key;    // trimmed
  std::string_view value;  // likewise; may be empty
};

// A line without a colon continues the value before it where it is indented deeper than that key,
// as the link modes of ethtool do: such lines come with the key of the first one. Other lines
// without a colon are left out. The parts refer to the text.
std::vector<KeyValue> key_values(std::string_view text);

// The value of the first line with that key; "" = there is none.
std::string_view value_of(const std::vector<KeyValue>& lines, std::string_view key);

}  // namespace fabric::platform
