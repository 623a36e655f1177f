// SPDX-License-Identifier: Apache-2.0
// Secrets in YAML, whose values reach over lines in many ways: folded, in quotes, in brackets,
// below an explicit key, by an alias. Read by the tokens of libyaml, which netplan uses.
#pragma once

#include <string>
#include <string_view>

namespace fabric {

// Replaces the values of names with names_secret() by kRedacted, and their further lines by
// nothing. Keeps the number of lines. Takes any text. Takes time linear in its size.
std::string without_yaml_secrets(std::string_view text);

}  // namespace fabric
