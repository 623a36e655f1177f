// SPDX-License-Identifier: Apache-2.0
// Values of plain scalars by YAML 1.2's core schema, and where YAML 1.1 readers would disagree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "engine/yaml/node.hpp"

namespace fabric::yaml {

using ScalarValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

// The value of a node. REQUIRES: node is a scalar or null. Quoted scalars are strings. Decimal, 0x
// and 0o integers, true/false (and True, TRUE, ...), null/~, floats; everything else is a string.
ScalarValue interpret(const Node& node);

// The type of an ambiguous scalar to a YAML 1.1 reader. `fraction`: a number, as to a 1.2 reader,
// though a text was meant (a version, "28.40").
enum class OldReading : std::uint8_t { yes, no, fraction, other };

struct Ambiguity {
  OldReading old = OldReading::other;
  std::string why;  // completes "'no' is ..."
};

// Why a plain scalar is taken for different values by YAML 1.1 and 1.2 readers, e.g. for `no`,
// `010`, `1_000`, `11:22:33:44:55:55`, `0000:03:00.0`, `28.40`, `1e3`; nullopt if all agree. Single
// letters (y, n) are exempt.
std::optional<Ambiguity> ambiguity(std::string_view plain_text);

}  // namespace fabric::yaml
