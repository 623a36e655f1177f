// SPDX-License-Identifier: Apache-2.0
// The tokens of YAML as libyaml takes them, which netplan reads with. Never fails: other text than
// YAML has tokens, too.
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
  std::ptrdiff_t column = 0;  // of a document's mark -1: whatever came before has ended
  std::size_t depth = 0;      // of the brackets that it stands in; of a bracket: outside of it
};

// In order. A plain scalar of several lines is a token on each. Takes time linear in the size.
std::vector<YamlToken> yaml_tokens(std::string_view text);

}  // namespace fabric
