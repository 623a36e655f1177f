// SPDX-License-Identifier: Apache-2.0
#include "engine/base/interned_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/parallel.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

TEST_CASE("equal texts are kept once, whichever thread makes them") {
  std::vector<InternedText> texts(1'000);
  for_each_index(texts.size(), [&](std::size_t index) {
    texts[index] = "interned-" + std::to_string(index % 10);
  });
  for (std::size_t index = 10; index < texts.size(); ++index) {
    CHECK(texts[index] == texts[index - 10]);
    CHECK(&texts[index].str() == &texts[index - 10].str());
    CHECK(texts[index] != texts[index - 1]);
  }
  CHECK(texts[3].str() == "interned-3");
}

TEST_CASE("interned texts are in order of text and equal any other text of the same bytes") {
  const InternedText first{"b"};  // made before what comes before it
  const InternedText second{"a"};
  CHECK(second < first);
  CHECK(first > second);
  CHECK(InternedText{} < second);
  CHECK(InternedText{} == InternedText{""});
  CHECK(InternedText{}.empty());
  CHECK(first == "b");
  CHECK(std::string{"b"} == first);
  CHECK(first != std::string_view{"bb"});
  CHECK(first < std::string{"bb"});
  CHECK("aa" < first);
  CHECK("x/" + first + "/y" == "x/b/y");
}

}  // namespace
}  // namespace fabric
