// SPDX-License-Identifier: Apache-2.0
// Patterns of ssh_config and known_hosts: '*' is any run of characters, '?' one character, and '!'
// before a pattern of a list excludes what it matches.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fabric::ssh {

bool has_wildcard(std::string_view pattern);
bool matches_pattern(std::string_view text, std::string_view pattern);
// True if some pattern of the list matches and no excluding one does.
bool matches_list(std::string_view text, std::span<const std::string> patterns);

}  // namespace fabric::ssh
