// SPDX-License-Identifier: Apache-2.0
#include "engine/model/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

std::uint32_t bits_of(Family family) {
  return family == Family::ipv4 ? 32 : 128;
}

// Byte `index` of the mask of `prefix_length`: 255 inside the prefix, 0 behind it.
std::uint8_t mask_byte(std::uint32_t prefix_length, std::uint32_t index) {
  const std::uint32_t before = index * 8;
  if (prefix_length >= before + 8) return 0xff;
  if (prefix_length <= before) return 0;
  return static_cast<std::uint8_t>(0xff00U >> (prefix_length - before));
}

}  // namespace

Result<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated{text};
  IpAddress address;
  address.family_ = text.find(':') == std::string_view::npos ? Family::ipv4 : Family::ipv6;
  const int family = address.family_ == Family::ipv4 ? AF_INET : AF_INET6;
  const bool has_null = text.find('\0') != std::string_view::npos;
  if (has_null || inet_pton(family, terminated.c_str(), address.bytes_.data()) != 1) {
    return Error{ErrorCode::invalid, fmt::format("'{}' is not an IP address", text)};
  }
  return address;
}

std::string IpAddress::str() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = family_ == Family::ipv4 ? AF_INET : AF_INET6;
  inet_ntop(family, bytes_.data(), text.data(), text.size());
  return text.data();
}

Result<Subnet> Subnet::of_address(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return Error{
        ErrorCode::invalid,
        fmt::format("'{}' is not a subnet: expected a prefix length, such as 10.30.0.0/24", text)};
  }
  Subnet subnet;
  subnet.network_ = FABRIC_TRY(IpAddress::parse(text.substr(0, slash)));
  const auto length = parse_unsigned(text.substr(slash + 1), 10);
  const std::uint32_t most = bits_of(subnet.network_.family_);
  if (!length || *length > most) {
    return Error{
        ErrorCode::invalid,
        fmt::format("'{}' is not a subnet: expected a prefix length from 0 to {}", text, most)};
  }
  subnet.prefix_length_ = static_cast<std::uint32_t>(*length);
  for (std::uint32_t i = 0; i < subnet.network_.bytes_.size(); ++i) {
    subnet.network_.bytes_[i] &= mask_byte(subnet.prefix_length_, i);
  }
  return subnet;
}

Result<Subnet> Subnet::parse(std::string_view text) {
  Subnet subnet = FABRIC_TRY(of_address(text));
  if (subnet.network_ != FABRIC_TRY(IpAddress::parse(text.substr(0, text.find('/'))))) {
    return Error{
        ErrorCode::invalid,
        fmt::format("'{}' has bits set beyond its prefix: the subnet is {}", text, subnet.str())};
  }
  return subnet;
}

Result<Subnet> Subnet::of_destination(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return parse(text);
  Subnet subnet;
  subnet.network_ = FABRIC_TRY(IpAddress::parse(text));
  subnet.prefix_length_ = bits_of(subnet.network_.family_);
  return subnet;
}

bool Subnet::contains(const IpAddress& address) const {
  if (address.family_ != network_.family_) return false;
  for (std::uint32_t i = 0; i < address.bytes_.size(); ++i) {
    if ((address.bytes_[i] & mask_byte(prefix_length_, i)) != network_.bytes_[i]) return false;
  }
  return true;
}

bool Subnet::overlaps(const Subnet& other) const {
  return prefix_length_ <= other.prefix_length_ ? contains(other.network_)
                                                : other.contains(network_);
}

bool Subnet::is_reserved(const IpAddress& address) const {
  const std::uint32_t host_bits = bits_of(network_.family_) - prefix_length_;
  if (host_bits <= 1) return false;  // RFC 3021, RFC 6164: a point-to-point link uses both
  if (address == network_) return true;
  if (network_.family_ == Family::ipv6) return false;
  IpAddress broadcast = network_;
  for (std::uint32_t i = 0; i < 4; ++i) {
    broadcast.bytes_[i] |= static_cast<std::uint8_t>(~mask_byte(prefix_length_, i));
  }
  return address == broadcast;
}

std::optional<IpAddress> Subnet::at(std::uint64_t number) const {
  const std::uint32_t host_bits = bits_of(network_.family_) - prefix_length_;
  if (host_bits < 64 && number >= std::uint64_t{1} << host_bits) return std::nullopt;
  IpAddress address = network_;
  const std::size_t last = bits_of(network_.family_) / 8 - 1;
  for (std::size_t i = 0; i < 8 && i <= last; ++i) {
    address.bytes_[last - i] |= static_cast<std::uint8_t>((number >> (8 * i)) & 0xffU);
  }
  return address;
}

Result<IpAddress> Subnet::host(std::uint64_t number) const {
  const std::optional<IpAddress> address = at(number);
  if (!address)
    return Error{ErrorCode::invalid, fmt::format("{} has no address number {}", str(), number)};
  if (is_reserved(*address)) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "{} is the {} address of {}",
            address->str(),
            *address == network_ ? "network" : "broadcast",
            str())};
  }
  return *address;
}

std::string Subnet::str() const {
  return fmt::format("{}/{}", network_.str(), prefix_length_);
}

}  // namespace fabric
