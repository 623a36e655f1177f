// SPDX-License-Identifier: Apache-2.0
// Secrets in YAML, whose values reach over lines in many ways: folded, in quotes, in brackets,
// below an explicit key, by an alias. Read by tokens, as libyaml takes them, which netplan reads
// with.
#pragma once

#include <string>
#include <string_view>

namespace fabric {

// Replaces the values of what names_secret() says by kRedacted, and what they go on with on further
// lines by nothing. Keeps the number of lines. Any text will do. Takes time linear in its size.
std::string without_yaml_secrets(std::string_view text);

}  // namespace fabric
