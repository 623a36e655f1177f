// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/signing.hpp"

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/named_file.hpp"
#include "engine/value/json.hpp"
#include "engine/value/signature.hpp"

namespace fabric::cli {

namespace {

constexpr std::string_view kPurpose = "fabric plan";
constexpr const char* kSignature = "signature";
constexpr std::int64_t kMilliseconds = 1'000;

Error forbidden(std::string message) {
  return {ErrorCode::forbidden, std::move(message)};
}

Error no_signature(std::string_view why) {
  return forbidden(fmt::format("the file is no signature of a plan: {}", why));
}

struct Parts {
  Map statement;  // the signed text
  std::string signature;
};

// Every key must be there once, and no other: an unknown key may be a restriction.
Result<Parts> parts_of(std::string_view text) {
  const Result<Value> read = parse_json(text);
  const Map* map = read ? read->as_map() : nullptr;
  if (map == nullptr)
    return no_signature("expected a JSON object; `fabric plan --sign` writes one");
  Parts parts;
  for (const auto& [key, value] : *map) {
    const bool is_number = key == "not_after";
    const bool is_text =
        key == "purpose" || key == "digest" || key == "fabric" || key == kSignature;
    if (!is_number && !is_text)
      return no_signature(fmt::format("{}: unknown key; a newer fabric may know it", key));
    if (is_number ? value.as_integer() == nullptr : value.as_string() == nullptr)
      return no_signature(
          fmt::format("{}: expected {}", key, is_number ? "a number of seconds" : "a text"));
    if (key == kSignature) {
      parts.signature = *value.as_string();
    } else {
      parts.statement.emplace(key, value);
    }
  }
  for (const char* key : {"purpose", "digest", "fabric", "not_after", kSignature}) {
    if (!map->contains(key)) return no_signature(fmt::format("{}: missing", key));
  }
  return parts;
}

std::string signed_text(const Map& statement) {
  return to_json(Value{statement});
}

std::string text_of(const Map& statement, const char* key) {
  return *statement.at(key).as_string();
}

}  // namespace

Result<std::string> sign_plan(
    const plans::Plan& plan, std::int64_t not_after, std::string_view key) {
  Map statement{
      {"purpose", kPurpose},
      {"digest", plan.digest},
      {"fabric", plan.fabric},
      {"not_after", not_after}};
  std::string signature = FABRIC_TRY(sign(signed_text(statement), key));
  statement.emplace(kSignature, std::move(signature));
  return to_json_pretty(Value{std::move(statement)});
}

Result<PlanStatement> check_statement(
    std::string_view signature_file, std::string_view keys, std::int64_t unix_seconds) {
  const Parts parts = FABRIC_TRY(parts_of(signature_file));
  const Result<void> checked = check_signature(signed_text(parts.statement), parts.signature, keys);
  if (!checked) {
    const bool is_by_nobody = checked.error().code == ErrorCode::denied;
    return is_by_nobody ? forbidden(checked.error().message) : checked.error();
  }
  const std::string purpose = text_of(parts.statement, "purpose");
  if (purpose != kPurpose)
    return forbidden(fmt::format("the signature is for '{}', not for '{}'", purpose, kPurpose));
  PlanStatement statement{
      text_of(parts.statement, "digest"),
      text_of(parts.statement, "fabric"),
      *parts.statement.at("not_after").as_integer()};
  if (statement.not_after >= unix_seconds) return statement;
  const auto shown = [](std::int64_t seconds) {
    return seconds < 0 || seconds > 253'402'300'799  // the year 9999
               ? fmt::format("second {}", seconds)
               : format_utc(seconds * kMilliseconds);
  };
  return forbidden(fmt::format(
      "the signature ended at {}, and it is {}: make and sign a new plan",
      shown(statement.not_after),
      shown(unix_seconds)));
}

Result<void> check_is_of(const PlanStatement& statement, const plans::Plan& plan) {
  if (statement.fabric != plan.fabric)
    return forbidden(fmt::format(
        "the signature is for the fabric '{}', and the plan is of '{}'",
        statement.fabric,
        plan.fabric));
  if (statement.digest != plan.digest)
    return forbidden(fmt::format(
        "the signature is of another plan: it names {}, and this one has {}",
        statement.digest,
        plan.digest));
  return {};
}

namespace {

constexpr std::size_t kMostKeyBytes = limits::kTrustedKeysBytes;

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
