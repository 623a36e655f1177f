// SPDX-License-Identifier: Apache-2.0
// An ESXi host as the cables see it: the interfaces of its kernel on virtual switches, whose
// uplinks are ports of cards. Guests are not played.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/esxi/lab/esxcli_call.hpp"
#include "providers/esxi/lab/esxi_machine.hpp"

namespace fabric::lab {
namespace {

constexpr std::string_view kBoardPort = "vmnic0";
constexpr std::uint32_t kPrefixLength = 24;

std::uint32_t mtu_of(const std::string& text) {
  return static_cast<std::uint32_t>(parse_unsigned(text, 10).value_or(1500));
}

std::optional<IpPrefix> address_of(const EsxiMachine& machine, const KernelNic& nic) {
  std::optional<IpPrefix> address = IpPrefix::parse(machine.configured(nic.place + "ipv4address"));
  if (address) address->set_length(kPrefixLength);
  return address;
}

// VMware's own prefix; the rest of the machine and the interface.
std::string mac_of(const EsxiMachine& machine, std::size_t index) {
  const std::string uuid = machine.uuid();
  const std::string tail = uuid.size() < 4 ? "0000" : uuid.substr(uuid.size() - 4);
  return fmt::format("00:50:56:{}:{}:{:02x}", tail.substr(0, 2), tail.substr(2, 2), index);
}

bool is_on_board(const Vswitch& here) {
  return std::find(here.uplinks.begin(), here.uplinks.end(), kBoardPort) != here.uplinks.end();
}

bool is_uplink(const Vswitch& here, std::size_t card, std::uint32_t port) {
  const std::string nic = esxi::nic_name(card, port);
  return std::find(here.uplinks.begin(), here.uplinks.end(), nic) != here.uplinks.end();
}

}  // namespace

std::optional<std::uint32_t> EsxiMachine::sends_up_to(std::size_t card, std::uint32_t port) const {
  std::optional<std::uint32_t> most;
  for (const KernelNic& nic : kernel_nics()) {
    const std::optional<Vswitch> here = vswitch_of_group(nic.port_group);
    if (here && is_uplink(*here, card, port)) most = std::max(most.value_or(0), mtu_of(nic.mtu));
  }
  return most;
}

// Leaves by the first uplink that has a link.
Egress EsxiMachine::egress(
    const Network& network, std::uint32_t interface, const Frame& frame) const {
  const std::vector<KernelNic> nics = kernel_nics();
  if (interface == 0 || interface > nics.size()) return {};
  const std::optional<Vswitch> here = vswitch_of_group(nics[interface - 1].port_group);
  if (!here || frame.bytes > mtu_of(here->mtu)) return {};
  for (std::size_t card = 0; card < state.cards.size(); ++card) {
    for (const CardPort& port : state.cards[card].ports) {
      const bool leaves = is_nic(card, port.number) && is_uplink(*here, card, port.number) &&
                          network.carrier(*this, card, port.number);
      if (leaves) return {{{card, port.number, false}}, 0};
    }
  }
  return {};
}

std::optional<Ingress> EsxiMachine::ingress(
    const Network& /*network*/, std::size_t card, std::uint32_t port, const Frame& frame) const {
  if (!is_nic(card, port) || frame.infiniband || frame.vlan != 0) return std::nullopt;
  const std::vector<KernelNic> nics = kernel_nics();
  for (std::size_t index = 0; index < nics.size(); ++index) {
    const std::optional<Vswitch> here = vswitch_of_group(nics[index].port_group);
    if (!here || !is_uplink(*here, card, port) || frame.bytes > mtu_of(here->mtu)) continue;
    const std::string mac = mac_of(*this, index);
    if (frame.destination.empty() || frame.destination == mac)
      return Ingress{static_cast<std::uint32_t>(index + 1), mac};
  }
  return std::nullopt;
}

IpPath EsxiMachine::path_to(
    const Network& /*network*/,
    const IpPrefix& target,
    std::string_view device,
    std::string_view /*source*/) const {
  const std::vector<KernelNic> nics = kernel_nics();
  for (std::size_t index = 0; index < nics.size(); ++index) {
    const std::optional<IpPrefix> own = address_of(*this, nics[index]);
    const std::optional<Vswitch> here = vswitch_of_group(nics[index].port_group);
    if (!own || !here || !own->contains(target)) continue;
    if (!device.empty() && nics[index].name != device) continue;
    return {
        static_cast<std::uint32_t>(index + 1),
        mac_of(*this, index),
        own->address(),
        mtu_of(nics[index].mtu),
        is_on_board(*here)};
  }
  return {};
}

bool EsxiMachine::has_address(const IpPrefix& address) const {
  const std::vector<KernelNic> nics = kernel_nics();
  return std::any_of(nics.begin(), nics.end(), [&](const KernelNic& nic) {
    const std::optional<IpPrefix> own = address_of(*this, nic);
    return own && own->same_address(address);
  });
}

bool EsxiMachine::has_management_address(const IpPrefix& address) const {
  const std::vector<KernelNic> nics = kernel_nics();
  return std::any_of(nics.begin(), nics.end(), [&](const KernelNic& nic) {
    const std::optional<IpPrefix> own = address_of(*this, nic);
    const std::optional<Vswitch> here = vswitch_of_group(nic.port_group);
    return own && here && own->same_address(address) && is_on_board(*here);
  });
}

bool EsxiMachine::answers_arp(
    std::uint32_t interface, const IpPrefix& target, const IpPrefix& /*sender*/) const {
  const std::vector<KernelNic> nics = kernel_nics();
  if (interface == 0 || interface > nics.size()) return false;
  const std::optional<IpPrefix> own = address_of(*this, nics[interface - 1]);
  return own && own->same_address(target);
}

}  // namespace fabric::lab
