// SPDX-License-Identifier: Apache-2.0
// $((expression)) of the shell: 64-bit integers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fabric::lab::shell {

// `variable` gives a name's value; `assign` stores one. nullopt: not an expression, or a division
// by zero.
struct Variables {
  std::function<std::int64_t(std::string_view)> variable;
  std::function<void(std::string_view, std::int64_t)> assign;
};
std::optional<std::int64_t> evaluate(std::string_view expression, const Variables& variables);

}  // namespace fabric::lab::shell
