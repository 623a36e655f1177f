// SPDX-License-Identifier: Apache-2.0
// How much a test does, where it can do more than the gate has time for.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "engine/base/text.hpp"

namespace fabric::test {

inline std::size_t number_from_environment(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : parse_unsigned(text, 10).value_or(otherwise);
}

}  // namespace fabric::test
