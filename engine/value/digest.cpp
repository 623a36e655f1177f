#include "engine/value/digest.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "engine/base/check.hpp"
#include "engine/value/json.hpp"

namespace fabric {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
  FABRIC_CHECK(done == 1, "OpenSSL has no SHA-256");
  std::string text = "sha256:";
  for (unsigned int i = 0; i < length; ++i)
    text += fmt::format("{:02x}", digest.at(i));
  return text;
}

std::string sha256(const Value& value) {
  return sha256(std::string_view{to_json(value)});
}

}  // namespace fabric
