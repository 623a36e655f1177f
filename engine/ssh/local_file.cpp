// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/local_file.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "engine/base/check.hpp"
#include "engine/files/read.hpp"

namespace fabric::ssh {

namespace {

std::string sha256_of(std::string_view content) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  const int done =
      EVP_Digest(content.data(), content.size(), digest.data(), &length, EVP_sha256(), nullptr);
  FABRIC_CHECK(done == 1, "OpenSSL has no SHA-256");
  std::string hex;
  for (unsigned i = 0; i < length; ++i)
    hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace

Result<std::string> read_local_file(
    const std::string& path, std::uint64_t bytes, std::string_view sha256) {
  Result<std::string> content = files::read_regular(path, bytes);
  if (!content && content.error().code != ErrorCode::invalid) return content;
  if (!content || content->size() != bytes) {
    return Error{
        ErrorCode::stale,
        fmt::format(
            "{} has changed: expected {} bytes{}",
            path,
            bytes,
            content ? fmt::format(", found {}", content->size()) : ", found another number")};
  }
  if (const std::string found = sha256_of(*content); found != sha256) {
    return Error{
        ErrorCode::stale,
        fmt::format("{} has changed: expected sha256 {}, found {}", path, sha256, found)};
  }
  return content;
}

}  // namespace fabric::ssh
