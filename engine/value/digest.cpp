// SPDX-License-Identifier: Apache-2.0
#include "engine/value/digest.hpp"

#include <array>
#include <utility>

#include <openssl/evp.h>

#include "engine/base/check.hpp"
#include "engine/value/json_writer.hpp"

namespace fabric {

namespace {

using Sha256Bytes = std::array<unsigned char, 32>;

// Looked up once: OpenSSL 3 searches its providers each time otherwise.
const EVP_MD* algorithm() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  FABRIC_CHECK(found != nullptr, "OpenSSL has no SHA-256");
  return found;
}

Sha256Bytes digest_of(std::string_view bytes) {
  Sha256Bytes digest{};
  unsigned int length = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, algorithm(), nullptr);
  FABRIC_CHECK(done == 1 && length == digest.size(), "OpenSSL has no SHA-256");
  return digest;
}

std::string text_of(const Sha256Bytes& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "sha256:";
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xfU];
  }
  return text;
}

}  // namespace

struct Digest::Context {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> of{EVP_MD_CTX_new()};
};

Digest::Digest() : context_{std::make_unique<Context>()} {
  const int done = EVP_DigestInit_ex(context_->of.get(), algorithm(), nullptr);
  FABRIC_CHECK(done == 1, "OpenSSL has no SHA-256");
}

Digest::~Digest() = default;

void Digest::add(std::string_view bytes) {
  const int done = EVP_DigestUpdate(context_->of.get(), bytes.data(), bytes.size());
  FABRIC_CHECK(done == 1, "OpenSSL takes the bytes of a digest");
}

std::string Digest::take() && {
  Sha256Bytes digest{};
  unsigned int length = 0;
  const int done = EVP_DigestFinal_ex(context_->of.get(), digest.data(), &length);
  FABRIC_CHECK(done == 1 && length == digest.size(), "OpenSSL ends a digest");
  return text_of(digest);
}

std::string sha256(std::string_view bytes) {
  return text_of(digest_of(bytes));
}

std::string sha256_base64(std::string_view bytes) {
  const Sha256Bytes digest = digest_of(bytes);
  std::array<unsigned char, 45> text{};  // 44 letters and the end that OpenSSL writes
  const int length = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(digest.size()));
  return {text.begin(), text.begin() + length};
}

std::string sha256(const Value& value) {
  Digest digest;
  JsonWriter writer{JsonStyle::line, [&digest](std::string_view piece) {
                      digest.add(piece);
                    }};
  writer.value(value);
  writer.finish();
  return std::move(digest).take();
}

}  // namespace fabric
