// SPDX-License-Identifier: Apache-2.0
#include "engine/model/node_set.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

std::vector<std::string> members(const char* text) {
  const NodeSet set = *NodeSet::parse(text);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < set.size(); ++i)
    all.push_back(set.at(i));
  return all;
}

std::string problem(std::string_view text) {
  const auto set = NodeSet::parse(text);
  return set ? "" : set.error().message;
}

using Names = std::vector<std::string>;

TEST_CASE("a node set names its members in order of writing") {
  CHECK(members("pve1") == Names{"pve1"});
  CHECK(members("pve[1-4]") == Names{"pve1", "pve2", "pve3", "pve4"});
  CHECK(members("n[9,1-2]x") == Names{"n9x", "n1x", "n2x"});
  CHECK(members("n[0-6/3]") == Names{"n0", "n3", "n6"});
  CHECK(members("r[1-2]n[1-2]") == Names{"r1n1", "r1n2", "r2n1", "r2n2"});
}

TEST_CASE("a node set keeps padding") {
  CHECK(members("c[001-003,140]") == Names{"c001", "c002", "c003", "c140"});
  CHECK(members("c[08-11]") == Names{"c08", "c09", "c10", "c11"});
  CHECK(members("c[099-101]") == Names{"c099", "c100", "c101"});
}

TEST_CASE("a set of PCI addresses counts as they do") {
  const auto zipped = [](const char* text, std::size_t index) {
    return *zip_value(text, *NodeSet::parse("n[1-4]"), index, 16);
  };
  CHECK(zipped("0000:[09-0c]:00.0", 0) == "0000:09:00.0");
  CHECK(zipped("0000:[09-0c]:00.0", 3) == "0000:0c:00.0");
  CHECK(zipped("0000:[0e-11]:00.0", 2) == "0000:10:00.0");
  CHECK(zipped("[c1,D5,e1,e2]:00.0", 1) == "d5:00.0");
  // From 09 to 12 there are ten of them.
  CHECK_FALSE(zip_value("0000:[09-12]:00.0", *NodeSet::parse("n[1-4]"), 0, 16).has_value());
}

TEST_CASE("a broken node set is refused with what is wrong with it") {
  CHECK(problem("pve[1-4") == "'pve[1-4' has brackets that do not pair");
  CHECK(problem("pve1-4]") == "'pve1-4]' has brackets that do not pair");
  CHECK(problem("pve[[1-4]]") == "'pve[[1-4]]' has brackets that do not pair");
  CHECK(problem("pve[]") == "'pve[]': '' is not a range of numbers");
  CHECK(problem("pve[1,]") == "'pve[1,]': '' is not a range of numbers");
  CHECK(problem("pve[a-c]") == "'pve[a-c]': 'a-c' is not a range of numbers");
  CHECK(problem("pve[4-1]") == "'pve[4-1]': the range '4-1' runs backwards");
  CHECK(problem("pve[1-9/0]") == "'pve[1-9/0]': the range '1-9/0' has the step 0");
  CHECK(problem("c[001-12]") == "'c[001-12]': the range '001-12' mixes two widths of padding");
  CHECK(problem("c[1-012]") == "'c[1-012]': the range '1-012' mixes two widths of padding");
}

TEST_CASE("an absurd node set is refused before it takes memory") {
  CHECK(problem("c[1-4000000000]") == "'c[1-4000000000]': names more than 100000 members");
  CHECK(
      problem("c[1-1000][1-1000][1-1000]") ==
      "'c[1-1000][1-1000][1-1000]': names more than 100000 members");
  CHECK(problem("c[0-99999999999999999999999]") != "");
  CHECK(problem("c[1-99999,1-2]") == "'c[1-99999,1-2]': names more than 100000 members");
  CHECK(NodeSet::parse("c[1-100000]")->size() == 100'000);
}

TEST_CASE("values zip with their key by place") {
  const NodeSet key = *NodeSet::parse("pve[1-4]");
  CHECK(*zip_value("192.0.2.[11-14]", key, 2) == "192.0.2.13");
  CHECK(*zip_value("192.0.2.[11,21,31,41]", key, 3) == "192.0.2.41");
  CHECK(*zip_value("plain", key, 3) == "plain");
  CHECK(*zip_value("root@[2001:db8::1]:22", key, 3) == "root@[2001:db8::1]:22");
}

TEST_CASE("sets of several brackets zip member by member") {
  const NodeSet hosts = *NodeSet::parse("c[0001-0048]");
  CHECK(*zip_value("leaf01/1/[1-12]/[1-2]/[1-2]", hosts, 0) == "leaf01/1/1/1/1");
  CHECK(*zip_value("leaf01/1/[1-12]/[1-2]/[1-2]", hosts, 5) == "leaf01/1/2/1/2");
  CHECK(*zip_value("leaf01/1/[1-12]/[1-2]/[1-2]", hosts, 47) == "leaf01/1/12/2/2");
}

TEST_CASE("sets that do not fit do not zip") {
  const auto why = [](const char* value, const char* key) {
    const auto zipped = zip_value(value, *NodeSet::parse(key), 0);
    return zipped ? "" : zipped.error().message;
  };
  CHECK(why("a[1-3]", "pve[1-4]") == "sets do not zip: 'pve[1-4]' names 4, 'a[1-3]' names 3");
  CHECK(why("a[1-3]", "pve1") == "sets do not zip: 'pve1' is one, 'a[1-3]' names 3");
  CHECK(why("a[1]", "pve1") == "sets do not zip: 'pve1' is one, 'a[1]' names 1");
  CHECK(
      why("a[1-2].[1-2]", "pve[1-5]") ==
      "sets do not zip: 'pve[1-5]' names 5, 'a[1-2].[1-2]' names 4");
  CHECK(why("a[1]", "r[1-2]n[1-2]") == "sets do not zip: 'r[1-2]n[1-2]' names 4, 'a[1]' names 1");
  CHECK(why("a[1-", "pve[1-4]") == "'a[1-' has brackets that do not pair");
}

TEST_CASE("a list of names may mix sets and single names") {
  CHECK(*expand_name_list("pve[1,3], leaf1") == Names{"pve1", "pve3", "leaf1"});
  CHECK_FALSE(expand_name_list("pve[1-4"));
  CHECK_FALSE(expand_name_list("c[1-60000],c[1-60000]"));
}

}  // namespace
}  // namespace fabric
