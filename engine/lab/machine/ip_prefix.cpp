// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/machine/ip_prefix.hpp"

#include <arpa/inet.h>

#include "engine/base/text.hpp"

namespace fabric::lab {

std::optional<IpPrefix> IpPrefix::parse(std::string_view text) {
  IpPrefix result;
  const std::size_t slash = text.find('/');
  const std::string address{text.substr(0, slash)};
  result.ipv6_ = address.find(':') != std::string::npos;
  const std::uint32_t most = result.ipv6_ ? 128 : 32;
  result.length_ = most;
  if (inet_pton(result.ipv6_ ? AF_INET6 : AF_INET, address.c_str(), result.bytes_.data()) != 1)
    return std::nullopt;
  if (slash != std::string_view::npos) {
    const std::optional<std::uint64_t> length = parse_unsigned(text.substr(slash + 1), 10);
    if (!length || *length > most) return std::nullopt;
    result.length_ = static_cast<std::uint32_t>(*length);
  }
  return result;
}

std::optional<std::uint32_t> IpPrefix::length_of_netmask(std::string_view netmask) {
  const std::optional<IpPrefix> mask = parse(netmask);
  if (!mask || mask->ipv6_) return std::nullopt;
  std::uint32_t length = 0;
  while (length < 32 && mask->bit(length))
    ++length;
  for (std::uint32_t at = length; at < 32; ++at) {
    if (mask->bit(at)) return std::nullopt;
  }
  return length;
}

std::string IpPrefix::text_of(const std::array<std::uint8_t, 16>& bytes) const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  const char* text =
      inet_ntop(ipv6_ ? AF_INET6 : AF_INET, bytes.data(), buffer.data(), buffer.size());
  return text == nullptr ? "" : text;
}

std::string IpPrefix::address() const {
  return text_of(bytes_);
}
std::string IpPrefix::str() const {
  return address() + "/" + std::to_string(length_);
}

std::string IpPrefix::network() const {
  std::array<std::uint8_t, 16> bytes = bytes_;
  for (std::uint32_t at = length_; at < (ipv6_ ? 128U : 32U); ++at) {
    bytes.at(at / 8) = static_cast<std::uint8_t>(bytes.at(at / 8) & ~(1U << (7U - at % 8)));
  }
  return text_of(bytes) + "/" + std::to_string(length_);
}

std::string IpPrefix::broadcast() const {
  if (ipv6_ || length_ > 30) return "";
  std::array<std::uint8_t, 16> bytes = bytes_;
  for (std::uint32_t at = length_; at < 32; ++at) {
    bytes.at(at / 8) = static_cast<std::uint8_t>(bytes.at(at / 8) | (1U << (7U - at % 8)));
  }
  return text_of(bytes);
}

bool IpPrefix::contains(const IpPrefix& other) const {
  if (ipv6_ != other.ipv6_) return false;
  for (std::uint32_t at = 0; at < length_; ++at) {
    if (bit(at) != other.bit(at)) return false;
  }
  return true;
}

}  // namespace fabric::lab
