// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/plan_changes.hpp"

#include "tests/support/catch.hpp"

namespace fabric::report {
namespace {

Value member(const char* who, bool full) {
  return Map{{"who", who}, {"full", full}};
}

TEST_CASE("partitions are shown as one reads them", "[report]") {
  const Value everybody =
      Map{{"name", "Default"},
          {"pkey", 0x7fff},
          {"ipoib", true},
          {"mtu", 4096},
          {"members", List{member("ALL", true)}}};
  const Value storage =
      Map{{"name", "storage"},
          {"pkey", 0x10},
          {"ipoib", false},
          {"members", List{member("a/hca/1", true), member("b/hca/1", false)}}};
  const Value empty = Map{{"name", "empty"}, {"pkey", 0x11}, {"members", List{}}};
  CHECK(
      partitions_text(List{everybody, storage, empty}) ==
      "Default 0x7fff ipoib mtu 4096: ALL full; storage 0x0010: a/hca/1 full, b/hca/1 limited; "
      "empty 0x0011: no member");
  CHECK(partitions_text(List{}) == "none");
  CHECK(partitions_text(Value{"as it is"}) == "as it is");
}

}  // namespace
}  // namespace fabric::report
