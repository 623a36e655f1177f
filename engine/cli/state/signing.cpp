#include "engine/cli/state/signing.hpp"

#include "engine/base/limits.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/value/signature.hpp"

namespace fabric::cli {

namespace {

constexpr std::size_t kMostKeyBytes = 1'048'576;

std::string signature_path(const std::string& path) {
  return path + ".sig";
}

Result<std::string> signature_by(const std::string& key_file, const std::string& content) {
  const std::string key = FABRIC_TRY(read_text_file(key_file, kMostKeyBytes));
  Result<std::string> signature = sign(content, key);
  if (!signature) return with_context(signature.error(), key_file);
  return signature;
}

}  // namespace

Result<void> check_signing_key(const std::string& key_file) {
  FABRIC_TRY(signature_by(key_file, "a plan"));
  return {};
}

Result<void> sign_file(
    const std::string& path, const std::string& content, const std::string& key_file) {
  const std::string signature = FABRIC_TRY(signature_by(key_file, content));
  return write_text_file(signature_path(path), signature + "\n");
}

Result<void> require_signature(
    const std::string& path, const std::string& content, const std::string& keys_file) {
  const Result<std::string> signature = read_text_file(signature_path(path), kMostKeyBytes);
  if (!signature) {
    return Error{
        ErrorCode::forbidden,
        path + " is not signed: " + signature.error().message +
            " (`fabric plan --out` signs with --sign)"};
  }
  const std::string keys = FABRIC_TRY(read_text_file(keys_file, kMostKeyBytes));
  const Result<void> checked = check_signature(content, *signature, keys);
  if (checked) return {};
  const bool forged = checked.error().code == ErrorCode::denied;
  return Error{
      ErrorCode::forbidden,
      (forged ? path : signature_path(path) + " or " + keys_file) + ": " + checked.error().message};
}

std::string signature_of(const std::string& path) {
  const Result<std::string> text = read_text_file(signature_path(path), kMostKeyBytes);
  return text ? *text : std::string{};
}

}  // namespace fabric::cli
