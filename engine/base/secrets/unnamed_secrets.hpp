// SPDX-License-Identifier: Apache-2.0
// Secrets that no name stands for: keys in base64, and passwords in URLs. Of one line each.
#pragma once

#include <string>
#include <string_view>

namespace fabric {

// Without keys of 32 bytes in base64, as WireGuard and systemd write them: 43 characters and '='.
std::string without_bare_keys(const std::string& line);
// False: no line of the text has such a key.
bool may_have_bare_key(std::string_view text);

// Without the passwords in "https://user:PASSWORD@host/", "netroot=iscsi:user:PASSWORD@host" and
// behind an option for a login: "curl -u user:PASSWORD", "--proxy-user=user:PASSWORD".
std::string without_user_information(const std::string& line);
// False: no line of the text has such an option.
bool may_have_login(std::string_view text);

}  // namespace fabric
