// SPDX-License-Identifier: Apache-2.0
// Redaction: removes the secrets from text of a node, before any other code sees it.
#pragma once

#include <string>
#include <string_view>

namespace fabric {

// The replacement of a secret.
inline constexpr std::string_view kRedacted = "(secret)";

// Replaces the values of names with names_secret() of secret_names.hpp, private keys in PEM and in
// base64 (WireGuard), and passwords in URLs. Knows files as `grep -H` prints them ("PATH:LINE") and
// the forms of INI, keyfiles, YAML, JSON, shell variables, "name value", options of commands and
// kernel command lines. Keeps the number of lines and all other text, so that parsers read it as
// before: a value is replaced by kRedacted, its further lines by empty lines. Takes time linear in
// the size.
std::string without_secrets(std::string_view text);

// False if without_secrets(text) is the text itself, as for nearly all text.
bool may_hold_secret(std::string_view text);

}  // namespace fabric
