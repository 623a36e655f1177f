// SPDX-License-Identifier: Apache-2.0
// Shell patterns: * ? [a-z] [!x] [[:digit:]], with backslash for a literal character.
#pragma once

#include <string>
#include <string_view>

namespace fabric::lab::shell {

bool matches(std::string_view pattern, std::string_view text);
// True if the pattern has an unescaped * ? or [.
bool has_wildcard(std::string_view pattern);
// The pattern without its backslashes.
std::string unescape(std::string_view pattern);

}  // namespace fabric::lab::shell
