// SPDX-License-Identifier: Apache-2.0
// Any bytes as a plan file: either refused as the operator's input, or a plan that is written as it
// was read. The digest is mended first where the text is JSON, for no mutation gets past it else.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.hpp"
#include "engine/value/digest.hpp"
#include "engine/value/json.hpp"
#include "plans/plan_file.hpp"

namespace fabric::plans {
namespace {

void check_refusal(const Error& error) {
  FABRIC_CHECK(error.code == ErrorCode::invalid, "a refusal is of the input");
  FABRIC_CHECK(!error.message.empty(), "a refusal says why");
}

void read_plan(const std::string& text) {
  Result<Plan> plan = parse_plan_file(text);
  if (!plan) {
    check_refusal(plan.error());
    return;
  }
  // Keys of a later 1.x are not kept; what is kept has a digest of its own.
  plan->digest = plan_digest(*plan);
  const std::string written = to_plan_file(*plan);
  const Result<Plan> again = parse_plan_file(written);
  FABRIC_CHECK(again.has_value(), "what is written reads back");
  FABRIC_CHECK(to_plan_file(*again) == written, "what is read back is written the same");
}

// The same text with the digest that its other keys have.
void read_with_right_digest(const std::string& text) {
  Result<Value> value = parse_json(text);
  Map* map = value ? value->as_map() : nullptr;
  if (map == nullptr) return;
  map->erase("digest");
  const std::string digest = sha256(*value);
  map->insert_or_assign("digest", digest);
  read_plan(to_json(*value));
}

}  // namespace
}  // namespace fabric::plans

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  fabric::plans::read_plan(text);
  fabric::plans::read_with_right_digest(text);
  return 0;
}
