// SPDX-License-Identifier: Apache-2.0
// Names and quantities of the field, valid by construction.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/diagnostic.hpp"
#include "engine/base/node_name.hpp"
#include "engine/base/result.hpp"

namespace fabric {

// Why `text` can't name a network, a VLAN or an adapter, as "it contains '/'"; "" = it can. It is a
// letter or a digit, then up to 62 letters, digits, '-' and '_': such a name is no line, no path
// and no option, and resource addresses, which are split at dots, keep it whole.
std::string wrong_in_name(std::string_view text);

// True for an interface called like "bond0.100": ifupdown makes VLAN 100 of bond0 of it, whatever
// it is (interfaces(5) of Debian's vlan).
bool is_vlan_name(std::string_view interface);

// One port of one adapter, or one port of a switch. Prints as "pve1/cx5/1"; a switch port has the
// adapter name "" and prints as "leaf1/7", "leaf1/1/7" or "leaf1/sw4p1" (engine/model/switch_port).
struct PortRef {
  NodeName node;
  std::string adapter;
  std::string port;  // "1" on an adapter; "7", "1/7" or "sw4p1" on a switch

  std::string str() const {
    return node.str() + "/" + (adapter.empty() ? "" : adapter + "/") + port;
  }
  // The port as the subject of a finding.
  Subject subject() const { return {node, adapter.empty() ? port : adapter + "/" + port}; }
  // 1-based port number on an adapter. REQUIRES: !adapter.empty()
  std::uint32_t number() const;
  friend auto operator<=>(const PortRef&, const PortRef&) = default;
};

// A MAC address. In: "11:22:33:44:55:66", "11-22-33-44-55-66", "1122.3344.5566", "112233445566".
// Out: the first of these, lower case.
class MacAddress {
 public:
  static Result<MacAddress> parse(std::string_view text);
  explicit MacAddress(std::uint64_t bits) : bits_{bits} {}
  std::uint64_t bits() const { return bits_; }
  std::string str() const;
  friend auto operator<=>(const MacAddress&, const MacAddress&) = default;

 private:
  std::uint64_t bits_;
};

// A 64-bit InfiniBand GUID. In: "0x43f720300cfef92", "043f:7203:00cf:ef92", "043f720300cfef92".
// Out: "0x043f720300cfef92".
class Guid {
 public:
  static Result<Guid> parse(std::string_view text);
  explicit Guid(std::uint64_t bits) : bits_{bits} {}
  std::uint64_t bits() const { return bits_; }
  std::string str() const;
  friend auto operator<=>(const Guid&, const Guid&) = default;

 private:
  std::uint64_t bits_;
};

// A PCI function: "0000:5e:00.0". The domain may be left out on the way in.
class PciAddress {
 public:
  static Result<PciAddress> parse(std::string_view text);
  std::uint32_t domain() const { return domain_; }
  std::uint32_t bus() const { return bus_; }
  std::uint32_t device() const { return device_; }
  std::uint32_t function() const { return function_; }
  // The function `number` of the same device.
  PciAddress with_function(std::uint32_t number) const;
  std::string str() const;
  friend auto operator<=>(const PciAddress&, const PciAddress&) = default;

 private:
  PciAddress() = default;
  std::uint32_t domain_ = 0;
  std::uint32_t bus_ = 0;
  std::uint32_t device_ = 0;
  std::uint32_t function_ = 0;
};

// Firmware, kernel and tool versions: numbers compared one by one ("3.10" > "3.6"); a missing
// number is 0 ("4.9" == "4.9.0").
class Version {
 public:
  // Leading digits-and-dots part of the text; fails if there is none.
  static Result<Version> parse(std::string_view text);
  const std::string& str() const { return text_; }
  friend std::strong_ordering operator<=>(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b) { return std::is_eq(a <=> b); }

 private:
  explicit Version(std::string text) : text_{std::move(text)} {}
  std::string text_;
};

}  // namespace fabric
