// SPDX-License-Identifier: Apache-2.0
// Signed plan files: FILE.sig beside FILE.
#pragma once

#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/result.hpp"
#include "engine/cli/state/plan_signature.hpp"
#include "plans/plan.hpp"

namespace fabric::cli {

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
