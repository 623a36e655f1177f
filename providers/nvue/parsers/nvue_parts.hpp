// SPDX-License-Identifier: Apache-2.0
// Private to the parsers of NVUE: errors of an answer, with their place.
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers::nvue_parts {

// "swp1.link.mtu: expected a number, found "big""; `found` may be null.
Error wrong(std::string_view where, std::string_view expected, const Value* found);
// The members of an object; fails if the value is none.
Result<const Map*> members(const Value& value, std::string_view where);

// Adds to the error the line of the path with which its message begins, "swp1.link.mtu".
Error at_its_line(std::string_view text, Error error);
template <class T>
Result<T> with_line(std::string_view text, Result<T> result) {
  if (result) return result;
  return at_its_line(text, result.error());
}

}  // namespace fabric::providers::nvue_parts
