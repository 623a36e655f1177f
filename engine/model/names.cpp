// SPDX-License-Identifier: Apache-2.0
#include "engine/model/names.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/printable.hpp"
#include "engine/base/text.hpp"

namespace fabric {

namespace {

// `text` as exactly `groups` groups of `digits` hex digits with `separator` between them.
std::optional<std::uint64_t> parse_hex_groups(
    std::string_view text, std::size_t groups, std::size_t digits, char separator) {
  const std::vector<std::string_view> parts = split(text, separator);
  if (parts.size() != groups) return std::nullopt;
  std::string all;
  for (const std::string_view part : parts) {
    if (part.size() != digits) return std::nullopt;
    all += part;
  }
  return parse_unsigned(all, 16);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The next number of "16.35.2000" without its leading zeros; numbers of any length stay exact.
std::string_view take_number(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('.'), rest.size());
  std::string_view number = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

}  // namespace

std::string wrong_in_name(std::string_view text) {
  constexpr std::size_t kLongest = 63;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
  };
  if (text.empty()) return "it is empty";
  const auto wrong = std::find_if_not(
      text.begin(), text.end(), [&](char c) { return is_plain(c) || c == '-' || c == '_'; });
  if (wrong != text.end()) {
    const std::string_view rest = text.substr(static_cast<std::size_t>(wrong - text.begin()));
    return fmt::format("it contains '{}'", rest.substr(0, first_character(rest).length));
  }
  if (!is_plain(text.front())) return fmt::format("it begins with '{}'", text.front());
  if (text.size() > kLongest)
    return fmt::format("it has {} characters, and {} are the most", text.size(), kLongest);
  return {};
}

bool is_vlan_name(std::string_view interface) {
  const std::size_t dot = interface.rfind('.');
  return dot != std::string_view::npos && parse_integer(interface.substr(dot + 1)).has_value();
}

std::uint32_t PortRef::number() const {
  const std::optional<std::uint64_t> parsed = parse_unsigned(port, 10);
  FABRIC_CHECK(!adapter.empty() && parsed, "only the port of an adapter is one number");
  return static_cast<std::uint32_t>(*parsed);
}

Result<MacAddress> MacAddress::parse(std::string_view text) {
  std::optional<std::uint64_t> bits = parse_hex_groups(text, 6, 2, ':');
  if (!bits) bits = parse_hex_groups(text, 6, 2, '-');
  if (!bits) bits = parse_hex_groups(text, 3, 4, '.');
  if (!bits && text.size() == 12) bits = parse_unsigned(text, 16);
  if (!bits) {
    return Error{
        ErrorCode::invalid,
        fmt::format("'{}' is not a MAC address: expected 11:22:33:44:55:66", text)};
  }
  return MacAddress{*bits};
}

std::string MacAddress::str() const {
  const auto byte = [&](unsigned number) {
    return (bits_ >> (8U * number)) & 0xffU;
  };
  return fmt::format(
      "{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}",
      byte(5),
      byte(4),
      byte(3),
      byte(2),
      byte(1),
      byte(0));
}

Result<Guid> Guid::parse(std::string_view text) {
  std::optional<std::uint64_t> bits;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    bits = parse_unsigned(text.substr(2), 16);  // tools drop leading zeros after 0x
  } else if (text.size() == 16) {
    bits = parse_unsigned(text, 16);
  } else {
    bits = parse_hex_groups(text, 4, 4, ':');
    if (!bits) bits = parse_hex_groups(text, 8, 2, ':');
  }
  if (!bits) {
    return Error{
        ErrorCode::invalid,
        fmt::format("'{}' is not a GUID: expected 16 hex digits, like 0x043f720300cfef92", text)};
  }
  return Guid{*bits};
}

std::string Guid::str() const {
  return fmt::format("0x{:016x}", bits_);
}

Result<PciAddress> PciAddress::parse(std::string_view text) {
  const auto wrong = [&] {
    return Error{
        ErrorCode::invalid, fmt::format("'{}' is not a PCI address: expected 0000:5e:00.0", text)};
  };
  std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() == 2) parts.insert(parts.begin(), "0000");
  if (parts.size() != 3) return wrong();
  const std::vector<std::string_view> slot = split(parts[2], '.');
  // A domain has more than four digits behind a volume management device.
  const bool sizes_fit = parts[0].size() >= 4 && parts[0].size() <= 8 && parts[1].size() == 2 &&
                         slot.size() == 2 && slot[0].size() == 2 && slot[1].size() == 1;
  if (!sizes_fit) return wrong();
  const auto domain = parse_unsigned(parts[0], 16);
  const auto bus = parse_unsigned(parts[1], 16);
  const auto device = parse_unsigned(slot[0], 16);
  const auto function = parse_unsigned(slot[1], 16);
  if (!domain || !bus || !device || !function || *device > 0x1f || *function > 7) return wrong();
  PciAddress address;
  address.domain_ = static_cast<std::uint32_t>(*domain);
  address.bus_ = static_cast<std::uint32_t>(*bus);
  address.device_ = static_cast<std::uint32_t>(*device);
  address.function_ = static_cast<std::uint32_t>(*function);
  return address;
}

PciAddress PciAddress::with_function(std::uint32_t number) const {
  PciAddress address = *this;
  address.function_ = number;
  return address;
}

std::string PciAddress::str() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain_, bus_, device_, function_);
}

Result<Version> Version::parse(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.'))
    ++end;
  std::string_view numbers = text.substr(0, end);
  while (numbers.ends_with('.'))
    numbers.remove_suffix(1);
  if (numbers.empty() || numbers.front() == '.' || numbers.find("..") != std::string_view::npos) {
    return Error{
        ErrorCode::invalid, fmt::format("'{}' is not a version: expected numbers and dots", text)};
  }
  return Version{std::string{numbers}};
}

std::strong_ordering operator<=>(const Version& a, const Version& b) {
  std::string_view rest_a = a.text_;
  std::string_view rest_b = b.text_;
  while (!rest_a.empty() || !rest_b.empty()) {
    const std::string_view number_a = take_number(rest_a);
    const std::string_view number_b = take_number(rest_b);
    if (number_a.size() != number_b.size()) return number_a.size() <=> number_b.size();
    if (number_a != number_b) return number_a <=> number_b;
  }
  return std::strong_ordering::equal;
}

}  // namespace fabric
