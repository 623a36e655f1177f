// Signed plan files: FILE.sig beside FILE.
#pragma once

#include <string>

#include "engine/base/result.hpp"

namespace fabric::cli {

// Where public keys that may sign plans stand, unless told otherwise.
inline constexpr const char* kTrustedKeys = "trusted-keys.pem";

// Whether `key_file` has a key that can sign, before long work is done for it.
Result<void> check_signing_key(const std::string& key_file);
// Writes FILE.sig by the private key in `key_file`.
Result<void> sign_file(
    const std::string& path, const std::string& content, const std::string& key_file);

// Fails with ErrorCode::forbidden where there is no signature, or none by a key of `keys_file`.
Result<void> require_signature(
    const std::string& path, const std::string& content, const std::string& keys_file);

// The signature of the file at `path`, "" if it has none.
std::string signature_of(const std::string& path);

}  // namespace fabric::cli
