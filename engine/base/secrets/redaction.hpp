// SPDX-License-Identifier: Apache-2.0
// Redaction: text of a node without the secrets in it, before anything else sees that text.
#pragma once

#include <string>
#include <string_view>

namespace fabric {

// What stands in the place of a secret.
inline constexpr std::string_view kRedacted = "(secret)";

// Replaces the values of what names_secret() of secret_names.hpp says, private keys in PEM and in
// base64 (WireGuard), and passwords in URLs. Knows files as `grep -H` prints them ("PATH:LINE")
// and the forms of INI, keyfiles, YAML, JSON, shell variables, "name value", options of commands
// and kernel command lines. Keeps the number of lines and what is no secret, so that parsers read
// it as before: a value is replaced by kRedacted, what a value goes on with on further lines by
// empty lines. Takes time linear in the size.
std::string without_secrets(std::string_view text);

// False: without_secrets(text) is the text. Nearly all text is such.
bool may_hold_secret(std::string_view text);

}  // namespace fabric
