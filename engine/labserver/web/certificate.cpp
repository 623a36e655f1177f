// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/web/certificate.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace fabric::labserver {

namespace {

constexpr long kDay = 24L * 60 * 60;
constexpr long kYears = 3650 * kDay;

struct FreeParts {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
};

std::string fingerprint_of(const X509& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  X509_digest(&certificate, EVP_sha256(), digest.data(), &length);
  std::string text = "SHA256";
  for (unsigned int i = 0; i < length; ++i)
    text += fmt::format(":{:02X}", digest[i]);
  return text;
}

}  // namespace

void FreeTls::operator()(ssl_ctx_st* tls) const {
  SSL_CTX_free(tls);
}
void FreeTls::operator()(ssl_st* session) const {
  SSL_free(session);
}

Result<WebCertificate> make_certificate(const std::string& name, bool expired) {
  const Error failure{ErrorCode::denied, "no certificate can be made"};
  const std::unique_ptr<EVP_PKEY, FreeParts> key{
      EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")};
  const std::unique_ptr<X509, FreeParts> certificate{X509_new()};
  if (key == nullptr || certificate == nullptr) return failure;
  X509* made = certificate.get();
  X509_set_version(made, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
  X509_gmtime_adj(X509_getm_notBefore(made), expired ? -kYears : -kDay);
  X509_gmtime_adj(X509_getm_notAfter(made), expired ? -kDay : kYears);
  X509_set_pubkey(made, key.get());
  X509_NAME* subject = X509_get_subject_name(made);
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, -1, -1, 0);
  X509_set_issuer_name(made, subject);
  if (X509_sign(made, key.get(), EVP_sha256()) == 0) return failure;
  WebCertificate result{TlsHandle{SSL_CTX_new(TLS_server_method())}, fingerprint_of(*made)};
  SSL_CTX* tls = result.tls.get();
  if (tls == nullptr || SSL_CTX_use_certificate(tls, made) != 1 ||
      SSL_CTX_use_PrivateKey(tls, key.get()) != 1)
    return failure;
  // A piece of what is sent may be taken, and the rest moves meanwhile.
  SSL_CTX_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return result;
}

}  // namespace fabric::labserver
