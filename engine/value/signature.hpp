// SPDX-License-Identifier: Apache-2.0
// Signatures of texts by ed25519, with keys as OpenSSL writes them (PEM).
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.hpp"

namespace fabric {

// `key`: a private key without a passphrase. Base64 of the 64 bytes, as
// `openssl pkeyutl -sign -rawin -inkey KEY -in FILE | base64 -w0` has it.
// Fails with ErrorCode::invalid if that is no such key.
Result<std::string> sign(std::string_view text, std::string_view key);

// `keys`: public keys, one after the other; white space around `signature` does not count. Fails
// with ErrorCode::denied if it is by none of them, with ErrorCode::invalid if something can't be
// read, or if a key is one under which signatures fit many texts.
Result<void> check_signature(
    std::string_view text, std::string_view signature, std::string_view keys);

}  // namespace fabric
