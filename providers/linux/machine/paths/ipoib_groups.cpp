// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/paths/ipoib_groups.hpp"

#include "engine/base/text.hpp"
#include "providers/linux/machine/paths/subnet_records.hpp"

namespace fabric::platform {

namespace {

constexpr std::string_view kRecord = "MCMember Record dump";
constexpr std::uint16_t kIdentity = 0x7fff;
// The upper two bits of a code say "greater", "less" or "exactly" (E-ib-saquery-codes).
constexpr std::uint64_t kCode = 0x3f;

bool is_ipoib_broadcast(std::string_view mgid) {
  return mgid.starts_with("ff1") && mgid.find(":401b:") != std::string_view::npos &&
         mgid.ends_with(":ffff:ffff");
}

std::uint32_t bytes_of(std::uint64_t mtu_code) {
  const std::uint64_t code = mtu_code & kCode;
  return code >= 1 && code <= 5 ? 128U << code : 0;
}

// "mtu.....................0x85"
std::optional<IpoibGroup> broadcast_group(const SubnetRecord& record) {
  bool broadcast = false;
  IpoibGroup group;
  for (const auto& [key, value] : record) {
    if (key == "MGID") broadcast = is_ipoib_broadcast(value);
    if (!value.starts_with("0x")) continue;
    const auto number = parse_unsigned(value.substr(2), 16);
    if (!number) continue;
    if (key == "mtu") group.mtu = bytes_of(*number);
    if (key == "pkey") group.pkey = static_cast<std::uint16_t>(*number & kIdentity);
  }
  return broadcast ? std::optional{group} : std::nullopt;
}

}  // namespace

std::optional<std::vector<IpoibGroup>> parse_ipoib_groups(std::string_view text) {
  const auto records = read_subnet_records(text, kRecord);
  if (!records) return std::nullopt;
  std::vector<IpoibGroup> groups;
  for (const SubnetRecord& record : *records) {
    if (const auto group = broadcast_group(record)) groups.push_back(*group);
  }
  return groups;
}

}  // namespace fabric::platform
