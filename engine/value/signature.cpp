// SPDX-License-Identifier: Apache-2.0
#include "engine/value/signature.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"

namespace fabric {

namespace {

constexpr std::size_t kSignatureBytes = 64;  // RFC 8032

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Source = std::unique_ptr<BIO, Free>;
using Context = std::unique_ptr<EVP_MD_CTX, Free>;
using Bytes = std::vector<unsigned char>;

// OpenSSL would ask on the terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) {
  return -1;
}

Source source_of(std::string_view text) {
  Source source{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
  FABRIC_CHECK(source != nullptr, "OpenSSL has no memory");
  return source;
}

bool is_ed25519(const Key& key) {
  return key != nullptr && EVP_PKEY_id(key.get()) == EVP_PKEY_ED25519;
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string to_base64(const Bytes& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(
      reinterpret_cast<unsigned char*>(text.data()), bytes.data(), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

Result<Bytes> signature_of(std::string_view base64) {
  constexpr std::size_t kLetters = 88;  // 64 bytes, and two more that are filled up
  const std::string_view text = trim(base64);
  Bytes bytes(kSignatureBytes + 2);
  const bool is_base64 =
      text.size() == kLetters &&
      EVP_DecodeBlock(bytes.data(), bytes_of(text), static_cast<int>(text.size())) ==
          static_cast<int>(bytes.size());
  if (!is_base64) return Error{ErrorCode::invalid, "expected a signature of 64 bytes as base64"};
  bytes.resize(kSignatureBytes);
  // Another spelling of the same bytes would be another signature of the same text.
  if (to_base64(bytes) != text)
    return Error{ErrorCode::invalid, "expected a signature as base64 in canonical form"};
  return bytes;
}

// The next block of a PEM file; no name at its end. Fails where a block is begun and can't be read.
struct Block {
  std::string name;
  Bytes content;
};
Result<Block> next_block(BIO* source) {
  char* name = nullptr;
  char* header = nullptr;
  unsigned char* data = nullptr;
  long length = 0;
  const bool is_read = PEM_read_bio(source, &name, &header, &data, &length) == 1;
  const unsigned long problem = ERR_peek_last_error();
  ERR_clear_error();
  Block block;
  if (is_read) block = {name, Bytes(data, data + length)};
  OPENSSL_free(name);
  OPENSSL_free(header);
  OPENSSL_free(data);
  const bool is_end =
      ERR_GET_LIB(problem) == ERR_LIB_PEM && ERR_GET_REASON(problem) == PEM_R_NO_START_LINE;
  if (!is_read && !is_end) return Error{ErrorCode::invalid, "no PEM that can be read"};
  return block;
}

// Every key, or none: a block that can't be read would hide those behind it, and with them the key
// that was just rotated in.
Result<std::vector<Key>> public_keys(std::string_view text) {
  std::vector<Key> keys;
  const Source source = source_of(text);
  while (true) {
    const Result<Block> block = next_block(source.get());
    if (block && block->name.empty()) return keys;
    Key key;
    if (block && block->name == PEM_STRING_PUBLIC) {
      const unsigned char* at = block->content.data();
      key.reset(d2i_PUBKEY(nullptr, &at, static_cast<long>(block->content.size())));
      if (at != block->content.data() + block->content.size()) key.reset();
      ERR_clear_error();
    }
    if (key == nullptr)
      return Error{
          ErrorCode::invalid,
          fmt::format("block {} of the file is no public key (PEM)", keys.size() + 1)};
    keys.push_back(std::move(key));
  }
}

// The encodings of the eight points of small order, as RFC 8032 and older readers spell them
// (0, 1, p-1, p, p+1 and the two of order 8), without the sign bit. Under such a key one signature
// fits many texts.
bool has_small_order(const Key& key) {
  constexpr std::size_t kBytes = 32;
  constexpr unsigned char kWithoutSign = 0x7f;
  std::array<unsigned char, kBytes> point{};
  std::size_t length = point.size();
  if (EVP_PKEY_get_raw_public_key(key.get(), point.data(), &length) != 1 || length != kBytes)
    return true;
  point.back() &= kWithoutSign;
  static constexpr std::array<std::string_view, 7> kPoints{
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0100000000000000000000000000000000000000000000000000000000000000",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"};
  std::string hex;
  for (const unsigned char byte : point)
    hex += fmt::format("{:02x}", byte);
  return std::find(kPoints.begin(), kPoints.end(), hex) != kPoints.end();
}

}  // namespace

Result<std::string> sign(std::string_view text, std::string_view key) {
  const Key found{PEM_read_bio_PrivateKey(source_of(key).get(), nullptr, no_passphrase, nullptr)};
  ERR_clear_error();
  if (!is_ed25519(found)) {
    return Error{
        ErrorCode::invalid,
        "expected an ed25519 private key without a passphrase (`openssl genpkey -algorithm "
        "ed25519`)"};
  }
  const Context context{EVP_MD_CTX_new()};
  Bytes signature(kSignatureBytes);
  std::size_t length = signature.size();
  const bool done =
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, found.get()) == 1 &&
      EVP_DigestSign(context.get(), signature.data(), &length, bytes_of(text), text.size()) == 1 &&
      length == kSignatureBytes;
  FABRIC_CHECK(done, "OpenSSL can't sign with an ed25519 key");
  return to_base64(signature);
}

Result<void> check_signature(
    std::string_view text, std::string_view signature, std::string_view keys) {
  const Bytes bytes = FABRIC_TRY(signature_of(signature));
  bool any = false;
  for (const Key& key : FABRIC_TRY(public_keys(keys))) {
    if (!is_ed25519(key)) continue;
    if (has_small_order(key)) {
      return Error{
          ErrorCode::invalid, "a key of the file can't be used: its point has small order"};
    }
    any = true;
    const Context context{EVP_MD_CTX_new()};
    const bool fits =
        EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
        EVP_DigestVerify(context.get(), bytes.data(), bytes.size(), bytes_of(text), text.size()) ==
            1;
    ERR_clear_error();
    if (fits) return {};
  }
  if (!any) return Error{ErrorCode::invalid, "expected an ed25519 public key (PEM), found none"};
  return Error{ErrorCode::denied, "the signature is by none of the trusted keys"};
}

}  // namespace fabric
