// SPDX-License-Identifier: Apache-2.0
// Output of tools need not be UTF-8 (a part number with a stray byte), saved facts are.
#pragma once

#include <string>
#include <string_view>

namespace fabric::platform {

bool is_utf8(std::string_view text);

// `text` with each byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string to_utf8(std::string_view text);

}  // namespace fabric::platform
