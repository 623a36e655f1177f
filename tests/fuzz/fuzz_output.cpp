// SPDX-License-Identifier: Apache-2.0
// The first line is the name of a probe, the rest is what it printed on a node; or it is `text`,
// and the rest is said by everything that says something: nodes, documents, files, commands.
// Whatever the bytes are, no output has an escape sequence, a character that deceives, a byte that
// is no UTF-8 or a command to a CI system.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "engine/base/check.hpp"

#include "tests/support/shown.hpp"

namespace fabric::test {
namespace {

// A text stands in a made-up plan some hundred times, which costs more than any real one. What
// large outputs of nodes cost is for the fuzzers of their readers.
constexpr std::size_t kMostText = 4'096;
constexpr std::size_t kMostPrinted = 65'536;

void show(const std::string& input) {
  static const FactsBench kBench;
  const std::size_t end = input.find('\n');
  if (end == std::string::npos) return;
  const std::string kind = input.substr(0, end);
  const std::string text = input.substr(end + 1);
  const auto look = [](const Shown& shown) {
    const std::string deception = deception_in(shown);
    if (!deception.empty()) std::fprintf(stderr, "%s\n", deception.c_str());
    FABRIC_CHECK(deception.empty(), "what is shown can't deceive");
  };
  if (kind == "text") {
    if (text.size() <= kMostText) show_text(look, text);
  } else if (text.size() <= kMostPrinted) {
    kBench.show(look, kind, text);
  }
}

}  // namespace
}  // namespace fabric::test

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fabric::test::show({data, data + size});
  return 0;
}
