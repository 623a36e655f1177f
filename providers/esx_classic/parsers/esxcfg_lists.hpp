// SPDX-License-Identifier: Apache-2.0
// Lists printed by the tools of the service console of ESX 3.5 and 4: NICs, bulletins, modules, PCI
// functions. Words are told apart by blanks, never by columns, whose widths differ between releases
// (E-esx-classic-tables).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/names.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// `esxcfg-nics -l`
struct EsxcfgNic {
  std::string name;  // "vmnic13.p1": bus 13, port 1 (E-esx-nic-names)
  std::string pci;   // "0d:00.0", "0000:0d:00.0", as it is written
  std::string driver;
  bool up = false;
  std::string mac;
  std::int64_t mtu = 0;
  std::size_t line = 1;
};
// Fails with ErrorCode::invalid, "line N: ...", without a heading and on a row of another shape.
Result<std::vector<EsxcfgNic>> parse_esxcfg_nics(std::string_view text);
Value to_value(const std::vector<EsxcfgNic>& nics);

// A row of `esxupdate query`; a package of `rpm -qa` has only the id.
struct EsxBulletin {
  std::string id;
  std::string installed;  // "2011-01-13T05:09:39"; "" = unknown
  std::string summary;
  std::size_t line = 1;
};
// Empty where only the heading stands. Fails without a heading.
Result<std::vector<EsxBulletin>> parse_esxupdate_query(std::string_view text);
Value to_value(const std::vector<EsxBulletin>& bulletins);

// The first words of the rows below a heading that begins with one of `headings`: `esxcfg-module
// -l` ("Module", "Name") and `vmkload_mod -l` ("Name"). Fails without a heading.
Result<std::vector<std::string>> names_below(
    std::string_view text, std::initializer_list<std::string_view> headings);

// A line of `lspci -n`: "0d:00.0 Class 0c06: 15b3:634a (rev a0)", newer ones without "Class".
struct PciNumbers {
  PciAddress address;
  std::uint32_t device_class = 0, vendor = 0, device = 0;
  std::size_t line = 1;
};
Result<std::vector<PciNumbers>> parse_lspci_numbers(std::string_view text);
Value to_value(const std::vector<PciNumbers>& functions);

// The parameter `port_types` of mlx4_en on ESX 4: triplets of the decimal PCI bus, the port from 1,
// and its type, 1 InfiniBand or 2 Ethernet (E-esx-port-types). "13,1,1,13,2,2"
struct PortType {
  std::uint32_t bus = 0;
  std::uint32_t port = 1;
  std::uint32_t type = 1;
  bool operator==(const PortType&) const = default;
};

// In order; none for "". Fails with ErrorCode::invalid on all but triplets of numbers.
Result<std::vector<PortType>> parse_port_types(std::string_view text);
// The type in the last triplet of the port; nullopt if there is none.
std::optional<std::uint32_t> type_of(
    const std::vector<PortType>& types, std::uint32_t bus, std::uint32_t port);

}  // namespace fabric::providers
