// SPDX-License-Identifier: Apache-2.0
// Plan to canonical JSON and back (schemas/plan.schema.json). Byte-equal for equal plans.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/check.hpp"
#include "engine/base/result.hpp"
#include "engine/value/json_writer.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

inline constexpr std::string_view kFormatVersion = "3.0";

// As the file spells it.
inline std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::prepare:
      return "prepare";
    case Stage::activate:
      return "activate";
  }
  FABRIC_CHECK(false, "a stage without a name");
}

Value to_value(const Plan& plan);  // with its digest
std::string to_plan_file(const Plan& plan);
// Writes the same text in pieces: a plan of ten thousand nodes is hundreds of megabytes.
void write_plan_file(const Plan& plan, const JsonWriter::Sink& sink);
// Checks that a plan of `bytes` bytes can be read back. Fails with ErrorCode::invalid and says what
// to do.
Result<void> check_plan_size(std::size_t bytes);
// Fails with ErrorCode::invalid, naming the key, on another format_version (major), a wrong shape,
// an unknown key or choice (of a later minor version too: it may be the part that keeps a node
// safe), or a digest that does not match (an edited plan). REQUIRES: a large text from outside has
// passed check_json.
Result<Plan> parse_plan_file(std::string_view text);
// The digest of everything except the digest itself.
std::string plan_digest(const Plan& plan);

}  // namespace fabric::plans
