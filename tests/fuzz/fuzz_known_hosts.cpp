// SPDX-License-Identifier: Apache-2.0
// Any bytes as a known_hosts file: each line vouches for nobody, or for a host by a key that stands
// in it; and no file vouches for a key that is not one.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.hpp"
#include "engine/ssh/config/known_hosts.hpp"

namespace fabric::ssh {
namespace {

constexpr std::string_view kType = "ssh-ed25519";
constexpr std::string_view kKey =
    "AAAAC3NzaC1lZDI1NTE5AAAAIAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

void read(std::string_view text) {
  KnownHosts known;
  known.add(text, "known_hosts");
  for (const std::uint32_t port : {22U, 2222U}) {
    const HostKeys keys = known.find("pve1", port);
    FABRIC_CHECK(keys.check("", kKey).verdict == KeyVerdict::unknown, "no type is known to nobody");
    FABRIC_CHECK(keys.check(kType, "").verdict == KeyVerdict::unknown, "no key is known to nobody");
    const HostKeys::Answer answer = keys.check(kType, kKey);
    if (answer.verdict != KeyVerdict::known && answer.verdict != KeyVerdict::revoked) continue;
    FABRIC_CHECK(
        text.find(kKey) != std::string_view::npos, "a key that is known stands in the file");
    FABRIC_CHECK(answer.place.line > 0, "and the line is told");
  }
}

}  // namespace
}  // namespace fabric::ssh

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  fabric::ssh::read(text);
  return 0;
}
