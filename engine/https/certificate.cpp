// SPDX-License-Identifier: Apache-2.0
#include "engine/https/certificate.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::https {

namespace {

// Somebody may write it without the name of the digest.
std::string in_capitals(std::string_view fingerprint) {
  constexpr std::string_view kDigest = "SHA256:";
  if (fingerprint.starts_with(kDigest)) fingerprint.remove_prefix(kDigest.size());
  std::string digits;
  for (const char c : fingerprint)
    digits += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return digits;
}

// Somebody copies it into a shell, so the words of the document are quoted.
std::string showing_command(const Target& target) {
  const bool bare_ipv6 = target.host.find(':') != std::string::npos;
  return fmt::format(
      "{} </dev/null | openssl x509 -noout -fingerprint -sha256",
      remote::command_line(
          {"openssl",
           "s_client",
           "-connect",
           bare_ipv6 ? fmt::format("[{}]:{}", target.host, target.port)
                     : fmt::format("{}:{}", target.host, target.port)}));
}

std::string judged(x509_store_ctx_st& store, const Target& target, const std::string& shown) {
  if (shown.empty()) return "the certificate that it shows can't be read";
  if (target.certificate.empty() && target.authorities.empty()) {
    return fmt::format(
        "the certificate that it shows, {}, is pinned nowhere, and no authority is named. Compare "
        "it with what the switch's console or another way to it shows ({}), then accept it in the "
        "document with: https: {{certificate: \"{}\"}}",
        shown,
        showing_command(target),
        shown);
  }
  if (!target.certificate.empty() && in_capitals(target.certificate) != in_capitals(shown)) {
    return fmt::format(
        "the certificate that it shows, {}, is not the one that https.certificate pins, {}: the "
        "switch made a new one, or somebody stands in between. If its console shows this "
        "fingerprint, accept it in the document with: https: {{certificate: \"{}\"}}",
        shown,
        target.certificate,
        shown);
  }
  if (target.authorities.empty() || X509_verify_cert(&store) == 1) return {};
  return fmt::format(
      "the certificate that it shows, {}, is not accepted by https.ca_file: {}",
      shown,
      X509_verify_cert_error_string(X509_STORE_CTX_get_error(&store)));
}

}  // namespace

std::string fingerprint_of(const x509_st& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (X509_digest(&certificate, EVP_sha256(), digest.data(), &length) != 1) return {};
  std::string text = "SHA256";
  for (unsigned int i = 0; i < length; ++i)
    text += fmt::format(":{:02X}", digest[i]);
  return text;
}

Judgement judge(x509_store_ctx_st& store, const Target& target) {
  Judgement judgement;
  const X509* shown = X509_STORE_CTX_get0_cert(&store);
  if (shown != nullptr) judgement.fingerprint = fingerprint_of(*shown);
  judgement.refusal = judged(store, target, judgement.fingerprint);
  return judgement;
}

}  // namespace fabric::https
