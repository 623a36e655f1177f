// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/signing.hpp"

#include "engine/base/limits.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/named_file.hpp"
#include "engine/value/signature.hpp"

namespace fabric::cli {

namespace {

constexpr std::size_t kMostKeyBytes = limits::kTrustedKeysBytes;
constexpr std::int64_t kMilliseconds = 1'000;

std::string signature_path(const std::string& path) {
  return path + ".sig";
}

}  // namespace

Result<void> check_signing_key(const std::string& key_file) {
  const std::string key = FABRIC_TRY(read_text_file(key_file, kMostKeyBytes));
  const Result<std::string> signature = sign("a plan", key);
  if (!signature) return with_context(signature.error(), key_file);
  return {};
}

Result<void> sign_plan_file(
    const std::string& path,
    const plans::Plan& plan,
    const std::string& key_file,
    Duration valid,
    const Clock& clock) {
  const std::string key = FABRIC_TRY(read_text_file(key_file, kMostKeyBytes));
  const std::int64_t not_after = (clock.unix_milliseconds() + valid.count()) / kMilliseconds;
  const Result<std::string> text = sign_plan(plan, not_after, key);
  if (!text) return with_context(text.error(), key_file);
  return write_text_file(signature_path(path), *text);
}

Result<PlanStatement> require_signature(
    const std::string& path,
    const std::string& keys_file,
    const std::vector<std::string>& trees,
    const Clock& clock) {
  const Result<std::string> text = read_text_file(signature_path(path), kMostKeyBytes);
  if (!text) {
    return Error{
        ErrorCode::forbidden,
        path + " is not signed: " + text.error().message +
            " (`fabric plan --out` signs with --sign)"};
  }
  const std::string keys = FABRIC_TRY(
      read_operator_file(keys_file, {"--trusted-keys", 022, true, true, trees}, kMostKeyBytes));
  Result<PlanStatement> statement =
      check_statement(*text, keys, clock.unix_milliseconds() / kMilliseconds);
  if (statement) return statement;
  const bool is_keys = statement.error().code != ErrorCode::forbidden;
  return with_context(
      statement.error(),
      is_keys ? signature_path(path) + " or " + keys_file : signature_path(path));
}

std::string signature_of(const std::string& path) {
  const Result<std::string> text = read_text_file(signature_path(path), kMostKeyBytes);
  return text ? *text : std::string{};
}

}  // namespace fabric::cli
