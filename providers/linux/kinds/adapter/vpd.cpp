// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/adapter/vpd.hpp"

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

// PCI Local Bus Specification 3.0, appendix I.
constexpr unsigned char kLargeResource = 0x80;
constexpr unsigned char kReadOnlyFields = 0x90;
constexpr std::string_view kManagesNvswitches = "SMDL=SW_MNG";

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 2 <= hex.size(); at += 2) {
    const auto byte = parse_unsigned(hex.substr(at, 2), 16);
    if (!byte) break;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

std::size_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

// Two letters, a length, that many bytes; one after the other.
void read_fields(std::string_view fields, ProductData& data) {
  while (fields.size() >= 3) {
    const std::string_view keyword = fields.substr(0, 2);
    const std::size_t length = byte_at(fields, 2);
    if (fields.size() < 3 + length) return;
    std::string_view value = fields.substr(3, length);
    value = trim(value.substr(0, value.find('\0')));
    if (keyword == "PN") data.part_number = std::string{value};
    if (keyword == "SN") data.serial = std::string{value};
    // One of the fields of the vendor: "MLX:MN=MLNX:CSKU=V2:...:SMDL=SW_MNG".
    if (keyword.front() == 'V') {
      for (const std::string_view part : split(value, ':'))
        data.manages_nvswitches = data.manages_nvswitches || part == kManagesNvswitches;
    }
    fields.remove_prefix(3 + length);
  }
}

}  // namespace

ProductData product_data(std::string_view hex) {
  const std::string bytes = bytes_of(hex);
  std::string_view rest = bytes;
  ProductData data;
  while (rest.size() >= 3 && (byte_at(rest, 0) & kLargeResource) != 0) {
    const std::size_t length = byte_at(rest, 1) + (byte_at(rest, 2) << 8U);
    if (rest.size() < 3 + length) break;
    if (byte_at(rest, 0) == kReadOnlyFields) read_fields(rest.substr(3, length), data);
    rest.remove_prefix(3 + length);
  }
  return data;
}

}  // namespace fabric::providers
