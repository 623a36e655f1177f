// SPDX-License-Identifier: Apache-2.0
// Three parts with lines "%%" between: a text, its signature, the keys that are trusted. Nothing
// but a key of this file's own could have signed, so whatever is not refused is a forgery.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.hpp"
#include "engine/value/signature.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kNext = "\n%%\n";
  const std::string text{data, data + size};
  const std::string_view all = text;
  const std::size_t first = all.find(kNext);
  if (first == std::string_view::npos) return 0;
  const std::size_t second = all.find(kNext, first + kNext.size());
  if (second == std::string_view::npos) return 0;
  const std::string_view signature =
      all.substr(first + kNext.size(), second - first - kNext.size());
  const std::string_view keys = all.substr(second + kNext.size());
  const fabric::Result<void> checked =
      fabric::check_signature(all.substr(0, first), signature, keys);
  if (checked) return 0;  // the corpus has one that is right
  const fabric::ErrorCode code = checked.error().code;
  FABRIC_CHECK(
      code == fabric::ErrorCode::invalid || code == fabric::ErrorCode::denied,
      "a refusal is of the input");
  FABRIC_CHECK(!checked.error().message.empty(), "a refusal says why");
  // And as a private key that shall sign.
  static_cast<void>(fabric::sign(signature, keys));
  return 0;
}
