// SPDX-License-Identifier: Apache-2.0
// The judgement over a certificate: pinned, signed by an authority of the target, or refused with
// what accepts it. Nothing is ever accepted silently, and a pinned one is that very certificate,
// whatever it says of its dates and names.
#pragma once

#include <string>

#include "engine/https/target.hpp"

struct x509_st;
struct x509_store_ctx_st;

namespace fabric::https {

// "SHA256:AB:CD:...", as `openssl x509 -fingerprint -sha256` prints it; "" if it can't be read.
std::string fingerprint_of(const x509_st& certificate);

struct Judgement {
  std::string fingerprint;  // of what was shown; "" = nothing was
  std::string refusal;      // "" = accepted
};

// To be called while the other side shows its certificates, before anything is sent.
// REQUIRES: where the target names authorities, `store` has those and no others.
Judgement judge(x509_store_ctx_st& store, const Target& target);

}  // namespace fabric::https
