// SPDX-License-Identifier: Apache-2.0
// The signed statement about a plan: its digest, its fabric, and until when it may be applied.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"
#include "plans/plan.hpp"

namespace fabric::cli {

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

}  // namespace fabric::cli
