// SPDX-License-Identifier: Apache-2.0
#include "engine/model/node_set_text.hpp"

#include "engine/model/node_set.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

std::string as_set(const std::vector<std::string>& names) {
  return fold_as_set(names).value_or("none");
}

TEST_CASE("a set keeps the order given; equal distances are written as steps", "[model]") {
  CHECK(as_set({"pve9", "pve10", "pve11"}) == "pve[9-11]");
  CHECK(as_set({"pve3", "pve1", "pve2"}) == "pve[3,1-2]");
  CHECK(as_set({"10.30.0.1", "10.30.0.3", "10.30.0.5"}) == "10.30.0.[1,3,5]");
  CHECK(as_set({"1", "11", "21", "31", "41"}) == "[1-41/10]");
  CHECK(as_set({"1", "11", "21", "31"}) == "[1,11,21,31]");
  CHECK(as_set({"n5", "n4", "n3"}) == "n[5,4,3]");
}

TEST_CASE("padding is part of a name, so only equally long numbers make a range", "[model]") {
  CHECK(as_set({"c08", "c09", "c10"}) == "c[08-10]");
  CHECK(as_set({"c8", "c9", "c010"}) == "c[8-9,010]");
  CHECK(as_set({"c0", "c1"}) == "c[0-1]");
  // Larger than any number that is counted with.
  CHECK(as_set({"c99999999999999999999", "c99999999999999999998"}) == "none");
}

TEST_CASE("a set of distinct names reads back as those", "[model]") {
  const std::vector<std::string> names{
      "n1", "n2", "n4", "n5", "n6", "n20", "n30", "n40", "n50", "n60"};
  const NodeSet set = *NodeSet::parse(as_set(names));
  REQUIRE(set.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    CHECK(set.at(i) == names[i]);
}

TEST_CASE("names fold to one set with as many brackets as it takes, or to none", "[model]") {
  const auto set = as_set;
  CHECK(set({"pve1"}) == "pve1");
  CHECK(set({"r1n1", "r1n2", "r2n1", "r2n2"}) == "r[1-2]n[1-2]");
  CHECK(set({"leaf1/1/1", "leaf1/1/2", "leaf1/2/1", "leaf1/2/2"}) == "leaf1/[1-2]/[1-2]");
  CHECK(set({"n1", "n1", "n2"}) == "n[1,1-2]");
  // The first bracket would have to be the fastest.
  CHECK(set({"r1n1", "r2n1", "r1n2", "r2n2"}) == "none");
  CHECK(set({"r1n1", "r1n2", "r2n1"}) == "none");
  CHECK(set({"a", "b"}) == "none");
  CHECK(set({"n1", "n1"}) == "none");
  CHECK(set({}) == "none");
  // Longer than any number that a set counts with.
  CHECK(set({"n9999999999998", "n9999999999999"}) == "none");
}

TEST_CASE("a set that was folded reads back as the names in their order", "[model]") {
  const std::vector<std::vector<std::string>> cases{
      {"c08", "c09", "c10"},
      {"r1n01", "r1n02", "r2n01", "r2n02"},
      {"l3/5", "l3/1", "l1/5", "l1/1"}};
  for (const std::vector<std::string>& names : cases) {
    const NodeSet set = *NodeSet::parse(fold_as_set(names).value());
    REQUIRE(set.size() == names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      CHECK(set.at(i) == names[i]);
  }
}

TEST_CASE("names whose numbers are longer than a set takes are never one bracket", "[model]") {
  CHECK(one_number_apart("spine01", "spine02") == std::size_t{1});
  CHECK(one_number_apart("spine01", "spine012345678901") == std::size_t{1});
  CHECK_FALSE(one_number_apart("spine01", "spine0123456789012"));
  CHECK_FALSE(one_number_apart("spine0123456789012", "spine01"));
}

}  // namespace
}  // namespace fabric
