// SPDX-License-Identifier: Apache-2.0
#include "engine/base/node_name.hpp"

#include <algorithm>

#include "engine/base/printable.hpp"

namespace fabric {

Result<NodeName> NodeName::parse(std::string_view text) {
  constexpr std::size_t kLongestHostName = 253;  // RFC 1035
  if (text.empty()) return Error{ErrorCode::invalid, "a node name is empty"};
  if (text.size() > kLongestHostName)
    return Error{ErrorCode::invalid, "a node name is longer than 253 characters"};
  if (text.front() == '-' || text.front() == '.') {
    return Error{
        ErrorCode::invalid, "a node name can't start with '" + std::string{text.front()} + "'"};
  }
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  const auto wrong = std::find_if_not(text.begin(), text.end(), allowed);
  if (wrong != text.end()) {
    const std::string_view rest = text.substr(static_cast<std::size_t>(wrong - text.begin()));
    const std::string character{rest.substr(0, first_character(rest).length)};
    return Error{ErrorCode::invalid, "a node name can't contain '" + character + "'"};
  }
  return NodeName{text};
}

}  // namespace fabric
