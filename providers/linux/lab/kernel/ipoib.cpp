// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/ipoib.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/lab/machine/partitions.hpp"

namespace fabric::lab {
namespace {

constexpr std::uint32_t kEncapsulation = 4;
constexpr std::uint32_t kDatagramMost = 4096 - kEncapsulation;
constexpr std::uint32_t kConnectedMost = 65520;
constexpr std::uint32_t kSmallestMtu = 68;

// Bytes of an IP packet; nullopt: no group.
std::optional<std::uint32_t> group_mtu(
    const Network& network, const LinuxHost& machine, const Interface& interface) {
  if (!interface.card) return std::nullopt;
  const auto subnet = network.subnet(machine, *interface.card, interface.port);
  if (!subnet) return std::nullopt;
  // An address with another GUID than the port's never joins.
  if (interface.mac != interface.permanent_mac) return std::nullopt;
  const auto group = subnet->groups.find(interface.ipoib->key & kDefaultKey);
  if (group == subnet->groups.end()) return std::nullopt;
  return group->second - kEncapsulation;
}

}  // namespace

bool set_ipoib_mode(LinuxHost& machine, Interface& interface, std::string_view mode) {
  Ipoib& ipoib = *interface.ipoib;
  if (mode != "connected" && mode != "datagram") return false;
  const bool connected = mode == "connected";
  if (connected && !ipoib.can_connect) return false;
  if (connected == ipoib.connected) return true;
  ipoib.connected = connected;
  interface.mtu = connected ? kConnectedMost : std::min(interface.mtu, ipoib.group_mtu);
  machine.note_change();
  return true;
}

bool set_ipoib_mtu(LinuxHost& machine, Interface& interface, std::uint32_t mtu) {
  Ipoib& ipoib = *interface.ipoib;
  if (mtu > (ipoib.connected ? kConnectedMost : kDatagramMost) || mtu < kSmallestMtu) return false;
  const std::uint32_t becomes = ipoib.connected ? mtu : std::min(mtu, ipoib.group_mtu);
  const bool changes = becomes != interface.mtu || (!ipoib.connected && mtu != ipoib.wished_mtu);
  if (!ipoib.connected) ipoib.wished_mtu = mtu;
  interface.mtu = becomes;
  if (changes) machine.note_change();
  return true;
}

bool ipoib_carrier(const Network& network, const LinuxHost& machine, const Interface& interface) {
  return group_mtu(network, machine, interface).has_value();
}

std::optional<std::uint16_t> parse_p_key(std::string_view text) {
  const bool hex = text.starts_with("0x");
  const auto key = parse_unsigned(text.substr(hex ? 2 : 0), hex ? 16 : 10);
  if (!key || *key > 0xffff || (*key & kDefaultKey) == 0) return std::nullopt;
  return static_cast<std::uint16_t>(*key);
}

void settle_ipoib(LinuxHost& machine, const Network& network) {
  for (Interface& interface : machine.state.interfaces) {
    if (!interface.ipoib) continue;
    Ipoib& ipoib = *interface.ipoib;
    ipoib.group_mtu = group_mtu(network, machine, interface).value_or(ipoib.group_mtu);
    if (!ipoib.connected) interface.mtu = std::min(ipoib.wished_mtu, ipoib.group_mtu);
  }
}

}  // namespace fabric::lab
