// SPDX-License-Identifier: Apache-2.0
#include "engine/base/shared_map.hpp"

#include <functional>
#include <map>
#include <string>

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

using Numbers = SharedMap<std::map<std::string, int, std::less<>>>;

TEST_CASE("copies share a map until one of them is changed") {
  Numbers first{{"a", 1}, {"b", 2}};
  Numbers second = first;
  CHECK(&*first == &*second);
  second.emplace("c", 3);
  CHECK(first == Numbers{{"a", 1}, {"b", 2}});
  CHECK(second == Numbers{{"a", 1}, {"b", 2}, {"c", 3}});
  first = second;
  first.erase("a");
  first.erase("nobody");
  first["b"] = 20;
  CHECK(first == Numbers{{"b", 20}, {"c", 3}});
  CHECK(second.at("a") == 1);
}

TEST_CASE("who is asked to take away what is not there keeps sharing") {
  const Numbers first{{"a", 1}};
  Numbers second = first;
  second.erase("b");
  CHECK(&*first == &*second);
}

TEST_CASE("an empty map is equal to none, and becomes one when something is added") {
  Numbers empty;
  CHECK(empty == Numbers{std::map<std::string, int, std::less<>>{}});
  CHECK((empty.empty() && !empty.contains("a") && empty.find("a") == empty.end()));
  Numbers other = empty;
  other.merge({{"a", 1}});
  other.merge({{"a", 2}, {"b", 2}});
  CHECK(other == Numbers{{"a", 1}, {"b", 2}});
  other.erase(other.find("a"));
  CHECK(other.size() == 1);
  other.clear();
  CHECK(other == empty);
}

}  // namespace
}  // namespace fabric
