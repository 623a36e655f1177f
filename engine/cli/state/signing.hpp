// SPDX-License-Identifier: Apache-2.0
// Signed plan files: FILE.sig beside FILE.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/result.hpp"
#include "plans/plan.hpp"

namespace fabric::cli {

// The signed statement about a plan: its digest, its fabric, and until when it may be applied.
// Pure.
// The text of a signature file: canonical JSON with purpose, digest, fabric, not_after (seconds
// since 1970-01-01 UTC) and the ed25519 signature of all these. `key`: see fabric::sign. Fails as
// fabric::sign.
Result<std::string> sign_plan(
    const plans::Plan& plan, std::int64_t not_after, std::string_view key);

// The content of a signature file whose signature is right: by one of `keys`, for plans, and not
// expired at `unix_seconds`. check_is_of() compares the content with a plan.
struct PlanStatement {
  std::string digest, fabric;
  std::int64_t not_after = 0;
};

// Fails with ErrorCode::forbidden if the content differs or no key of `keys` signed it, with
// ErrorCode::invalid if `keys` can't be read.
Result<PlanStatement> check_statement(
    std::string_view signature_file, std::string_view keys, std::int64_t unix_seconds);

// Fails with ErrorCode::forbidden if the statement is about another plan or another fabric.
Result<void> check_is_of(const PlanStatement& statement, const plans::Plan& plan);

// The default file of public keys that may sign plans: not in the working tree, where an author of
// the document could add a key.
inline constexpr const char* kTrustedKeys = "/etc/fabric/trusted-keys.pem";

// Checks that `key_file` has a key that can sign, before long work is done.
Result<void> check_signing_key(const std::string& key_file);
// Writes FILE.sig by the private key in `key_file`; the signature expires after `valid`, by the
// clock's wall time.
Result<void> sign_plan_file(
    const std::string& path,
    const plans::Plan& plan,
    const std::string& key_file,
    Duration valid,
    const Clock& clock);

// The statement in the signature of the plan file at `path`, by a key of `keys_file`, which may lie
// in none of `trees`. Fails with ErrorCode::forbidden without a signature, or as check_statement
// and read_operator_file.
Result<PlanStatement> require_signature(
    const std::string& path,
    const std::string& keys_file,
    const std::vector<std::string>& trees,
    const Clock& clock);

// The text of the signature of the file at `path`, "" if it has none.
std::string signature_of(const std::string& path);

}  // namespace fabric::cli
