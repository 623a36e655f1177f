// SPDX-License-Identifier: Apache-2.0
// Digests by OpenSSL.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/value/value.hpp"

namespace fabric {

// The digest of a text in pieces.
class Digest {
 public:
  Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  Digest(Digest&&) = delete;
  Digest& operator=(Digest&&) = delete;
  ~Digest();

  void add(std::string_view bytes);
  // "sha256:" and 64 lower-case hex digits. Nothing may be added after it.
  std::string take() &&;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// "sha256:" and 64 lower-case hex digits.
std::string sha256(std::string_view bytes);
// In base64, for a Content-Security-Policy.
std::string sha256_base64(std::string_view bytes);
// Over the canonical one-line JSON.
std::string sha256(const Value& value);

}  // namespace fabric
