// SPDX-License-Identifier: Apache-2.0
// NodeName: the one name of a node that every layer shares. Valid by construction: letters, digits,
// '-', '_' and '.', not starting with '-' or '.', 1 to 253 characters, so it is safe in paths,
// host names and messages.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "engine/base/interned_text.hpp"
#include "engine/base/result.hpp"

namespace fabric {

class NodeName {
 public:
  // Fails with ErrorCode::invalid, saying which character is wrong.
  static Result<NodeName> parse(std::string_view text);

  const std::string& str() const { return text_.str(); }
  friend auto operator<=>(const NodeName&, const NodeName&) = default;

 private:
  explicit NodeName(std::string_view text) : text_{text} {}
  InternedText text_;
};

}  // namespace fabric
