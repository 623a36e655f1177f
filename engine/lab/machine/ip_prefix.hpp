// SPDX-License-Identifier: Apache-2.0
// IpPrefix: an address of an interface together with its subnet, as ip(8) writes it: 10.30.0.1/24.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fabric::lab {

class IpPrefix {
 public:
  // A text without "/n" is a host address. nullopt if it is no address.
  static std::optional<IpPrefix> parse(std::string_view text);
  // 24 for "255.255.255.0".
  static std::optional<std::uint32_t> length_of_netmask(std::string_view netmask);

  bool ipv6() const { return ipv6_; }
  std::uint32_t length() const { return length_; }
  std::string address() const;    // "10.30.0.1"
  std::string str() const;        // "10.30.0.1/24"
  std::string network() const;    // "10.30.0.0/24"
  std::string broadcast() const;  // "10.30.0.255"; "" for IPv6
  bool same_address(const IpPrefix& other) const {
    return ipv6_ == other.ipv6_ && bytes_ == other.bytes_;
  }
  // True if the address of `other` is in this subnet.
  bool contains(const IpPrefix& other) const;
  void set_length(std::uint32_t length) { length_ = length; }
  friend auto operator<=>(const IpPrefix&, const IpPrefix&) = default;

 private:
  bool bit(std::uint32_t at) const {
    return ((std::uint32_t{bytes_.at(at / 8)} >> (7U - at % 8)) & 1U) != 0;
  }
  std::string text_of(const std::array<std::uint8_t, 16>& bytes) const;
  bool ipv6_ = false;
  std::array<std::uint8_t, 16> bytes_{};
  std::uint32_t length_ = 32;
};

}  // namespace fabric::lab
