// SPDX-License-Identifier: Apache-2.0
// Signatures of texts by ed25519, with keys as OpenSSL writes them (PEM).
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.hpp"

namespace fabric {

// `key`: a private key without a passphrase. Returns base64 of the 64 bytes, as `openssl pkeyutl
// -sign -rawin -inkey KEY -in FILE | base64 -w0` prints it. Fails with ErrorCode::invalid if `key`
// is no such key.
Result<std::string> sign(std::string_view text, std::string_view key);

// `keys`: public keys, one after the other; white space around `signature` is ignored. Fails with
// ErrorCode::denied if the signature is by none of them, with ErrorCode::invalid if a text can't be
// read, or for a weak key, under which signatures fit many texts.
Result<void> check_signature(
    std::string_view text, std::string_view signature, std::string_view keys);

}  // namespace fabric
