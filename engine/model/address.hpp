// SPDX-License-Identifier: Apache-2.0
// IP addresses and subnets, as values. IPv4 and IPv6 in one type; inet_pton/ntop do the text.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"

namespace fabric {

enum class Family : std::uint8_t { ipv4, ipv6 };

class IpAddress {
 public:
  static Result<IpAddress> parse(std::string_view text);
  Family family() const { return family_; }
  std::string str() const;
  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  friend class Subnet;
  Family family_ = Family::ipv4;
  std::array<std::uint8_t, 16> bytes_{};
};

// "10.30.0.0/24". Fails to parse if bits are set beyond the prefix.
class Subnet {
 public:
  static Result<Subnet> parse(std::string_view text);
  // The subnet of an address of an interface: of "10.30.0.2/24" it is 10.30.0.0/24.
  static Result<Subnet> of_address(std::string_view text);
  // The subnet of a destination as `ip route` prints it: a single host has no length.
  static Result<Subnet> of_destination(std::string_view text);
  const IpAddress& network() const { return network_; }
  std::uint32_t prefix_length() const { return prefix_length_; }
  bool contains(const IpAddress& address) const;
  bool overlaps(const Subnet& other) const;
  // The network address itself or IPv4 broadcast, which no port can have. Neither exists where
  // the subnet has only one or two addresses.
  bool is_reserved(const IpAddress& address) const;
  // The address number `host` of the subnet (0 = the network itself). Fails with
  // ErrorCode::invalid if it is outside, the network address, or IPv4 broadcast.
  Result<IpAddress> host(std::uint64_t number) const;
  // As host(), but the network and broadcast addresses count as any other: parts that the subnet is
  // divided into may have them. Nullopt if the address is outside.
  std::optional<IpAddress> at(std::uint64_t number) const;
  std::string str() const;
  friend auto operator<=>(const Subnet&, const Subnet&) = default;

 private:
  IpAddress network_;
  std::uint32_t prefix_length_ = 0;
};

}  // namespace fabric
