// SPDX-License-Identifier: Apache-2.0
// Recognizes the names of secrets: a key of a file, a parameter, an option of a command.
#pragma once

#include <string_view>

namespace fabric {

// True by the words of `name`, in any spelling ("wpa-psk", "PrivateKey", "KEY_PASSPHRASE1",
// "m_key", "net.ipv4.tcp_fastopen_key"). Names of public values are no secrets: P_Key, PublicKey,
// key_mgmt, PrivateKeyFile. Sources: E-secret-names.
bool names_secret(std::string_view name);

// False only if names_secret() is false for each name in the text. Faster than to ask for each.
bool may_have_secret_name(std::string_view text);

// True for a name whose value follows after a blank ("psk VALUE", "m_key VALUE"). Stricter than
// names_secret(): in running text and in lists "libsecret 0.20" is no pair.
bool is_word_for_secret(std::string_view name);

}  // namespace fabric
