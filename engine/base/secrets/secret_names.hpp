// SPDX-License-Identifier: Apache-2.0
// Which names stand for a secret: a key of a file, a parameter, an option of a command.
#pragma once

#include <string_view>

namespace fabric {

// Decides by the words of `name`, in any spelling ("wpa-psk", "PrivateKey", "KEY_PASSPHRASE1",
// "m_key", "net.ipv4.tcp_fastopen_key"). Names of public values are no secrets: P_Key, PublicKey,
// key_mgmt, PrivateKeyFile. Sources: E-secret-names.
bool names_secret(std::string_view name);

// False: names_secret() says so of each name in the text. This takes far less time than to ask it.
bool may_have_secret_name(std::string_view text);

// A name of which what follows a blank is the value ("psk VALUE", "m_key VALUE"). Stricter: in
// running text and in lists "libsecret 0.20" is no pair.
bool is_word_for_secret(std::string_view name);

}  // namespace fabric
