#include "engine/value/signature.hpp"

#include <array>
#include <memory>
#include <vector>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

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
  if (!is_base64)
    return Error{ErrorCode::invalid, "that is no signature: expected 64 bytes as base64"};
  bytes.resize(kSignatureBytes);
  return bytes;
}

std::vector<Key> public_keys(std::string_view text) {
  std::vector<Key> keys;
  const Source source = source_of(text);
  while (EVP_PKEY* key = PEM_read_bio_PUBKEY(source.get(), nullptr, no_passphrase, nullptr))
    keys.emplace_back(key);
  ERR_clear_error();
  return keys;
}

}  // namespace

Result<std::string> sign(std::string_view text, std::string_view key) {
  const Key found{PEM_read_bio_PrivateKey(source_of(key).get(), nullptr, no_passphrase, nullptr)};
  ERR_clear_error();
  if (!is_ed25519(found)) {
    return Error{
        ErrorCode::invalid,
        "that is no ed25519 private key without a passphrase (`openssl genpkey -algorithm "
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
  for (const Key& key : public_keys(keys)) {
    if (!is_ed25519(key)) continue;
    any = true;
    const Context context{EVP_MD_CTX_new()};
    const bool fits =
        EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
        EVP_DigestVerify(context.get(), bytes.data(), bytes.size(), bytes_of(text), text.size()) ==
            1;
    ERR_clear_error();
    if (fits) return {};
  }
  if (!any) return Error{ErrorCode::invalid, "there is no ed25519 public key (PEM) in it"};
  return Error{ErrorCode::denied, "the signature is by none of the trusted keys"};
}

}  // namespace fabric
