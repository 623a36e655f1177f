// SPDX-License-Identifier: Apache-2.0
// Statements of foreign configuration that may be dropped when it is adopted, as in `adopt: {drop:
// [...]}` of a document: `KIND KEY[=VALUE]`, with `*` for any text. A place in a file is no part of
// a pattern, because lines move.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"

namespace fabric {

struct StatementPattern {
  std::string kind;  // "interfaces", "networkd"; one of kStatementKinds or a text with `*`
  std::string key;   // "post-up", "Route.Gateway", "lmc"
  std::optional<std::string> value;

  // Fails with ErrorCode::invalid, saying what is wrong with the text.
  static Result<StatementPattern> parse(std::string_view text);
  bool fits(std::string_view of_kind, std::string_view of_key, std::string_view of_value) const;
};

// The formats that can be adopted, and "running" for running state that no file explains.
inline constexpr std::string_view kStatementKinds[] = {
    "interfaces",
    "networkd",
    "netplan",
    "keyfile",
    "ifcfg",
    "running",
    "opensm",
    "partitions",
    "modprobe"};

// The pattern for `drop: all`.
inline constexpr const char* kEveryStatement = "* *";

}  // namespace fabric
