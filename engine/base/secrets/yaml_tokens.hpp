// SPDX-License-Identifier: Apache-2.0
// The tokens of YAML by libyaml, as netplan reads it. Never fails: any other text has tokens, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fabric {

struct YamlToken {
  enum class Kind : std::uint8_t {
    scalar,
    key,
    value,
    entry,
    comma,
    open,
    close,
    anchor,
    alias,
    tag,
    document
  };
  Kind kind = Kind::scalar;
  std::size_t begin = 0, end = 0;
  std::ptrdiff_t column = 0;  // -1 for a document's mark: all before it has ended
  std::size_t depth = 0;      // number of brackets around it; a bracket is outside of itself
};

// In order. A plain scalar of several lines is a token on each. Takes time linear in the size.
std::vector<YamlToken> yaml_tokens(std::string_view text);

}  // namespace fabric
