// SPDX-License-Identifier: Apache-2.0
#include "engine/base/shared_text.hpp"

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/parallel.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

std::atomic<int> times_counted{0};

std::size_t count_bytes(std::string_view text) {
  ++times_counted;
  return text.size();
}

std::string copy_of(std::string_view text) {
  return std::string{text};
}

TEST_CASE("equal texts in a pool are one, and parsed once whoever asks") {
  times_counted = 0;
  TextPool pool;
  std::vector<SharedText> texts(1'000);
  std::vector<std::size_t> counted(texts.size());
  for_each_index(texts.size(), [&](std::size_t index) {
    texts[index] = pool.keep(std::string{index % 2 == 0 ? "even" : "odd"});
    counted[index] = texts[index].parsed(count_bytes);
  });
  CHECK(counted[0] == 4);
  CHECK(counted[999] == 3);
  CHECK(times_counted == 2);
  CHECK(&texts[0].str() == &texts[998].str());
  CHECK(&texts[1].str() == &texts[999].str());
  CHECK(texts[0] != texts[1]);
}

TEST_CASE("each parser has its own of a text, for as long as somebody holds it") {
  SharedText text{"x"};
  const std::string& made = text.parsed(copy_of);
  CHECK(text.parsed(count_bytes) == 1);
  const SharedText copy = text;
  text = "y";
  CHECK(made == "x");
  CHECK(&copy.parsed(copy_of) == &made);
  CHECK(text.parsed(copy_of) == "y");
}

TEST_CASE("work on many things is done once on each") {
  for (const std::size_t count : std::initializer_list<std::size_t>{0, 1, 15, 16, 17, 1000}) {
    std::vector<std::atomic<int>> done(count);
    for_each_index(count, [&](std::size_t index) { ++done[index]; });
    for (const std::atomic<int>& each : done)
      CHECK(each == 1);
  }
}

}  // namespace
}  // namespace fabric
