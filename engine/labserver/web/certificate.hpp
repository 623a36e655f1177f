// SPDX-License-Identifier: Apache-2.0
// The certificate of a simulated machine, made new at each start, and TLS with it.
#pragma once

#include <memory>
#include <string>

#include "engine/base/result.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace fabric::labserver {

struct FreeTls {
  void operator()(ssl_ctx_st* tls) const;
  void operator()(ssl_st* session) const;
};
using TlsHandle = std::unique_ptr<ssl_ctx_st, FreeTls>;
using TlsSessionHandle = std::unique_ptr<ssl_st, FreeTls>;

struct WebCertificate {
  TlsHandle tls;
  std::string fingerprint;  // "SHA256:AB:CD:..."
};

// Signed by itself, for `name`. `expired`: since yesterday, else good for ten years.
Result<WebCertificate> make_certificate(const std::string& name, bool expired);

}  // namespace fabric::labserver
