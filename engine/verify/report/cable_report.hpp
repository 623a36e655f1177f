// SPDX-License-Identifier: Apache-2.0
// The result for each cable: those of the document, and unexpected ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/source.hpp"
#include "engine/model/names.hpp"

namespace fabric::verify {

enum class CableState : std::uint8_t {
  ok,
  mis_wired,
  missing,
  one_sided,
  loopback,
  shut,  // a port at an end is set down by its configuration
  degraded,
  no_data,
  offline  // the node at an end is known to be down: any state is as expected
};
std::string_view to_string(CableState state);  // "mis-wired"

// True for a cable known to be wrong, so that no frames can be expected to cross it.
bool is_broken(CableState state);

// The part that is missing to match a port of a subnet or node with one of the document.
enum class WireLack : std::uint8_t {
  none,
  node,     // no node of the subnet is known to be the port's node
  adapter,  // the node is there, but which of its adapters has the port is unknown
  number,   // the switch is there, but the number of the port is unknown
  level,    // the level of this verify does not look at the port's network
  looker,   // no node that was asked can look at the port's subnet
  device    // the node shows no network device of the card
};

// The evidence for the place of a plug, from weakest to strongest.
enum class Proof : std::uint8_t {
  none,
  carrier,  // a link or none; the other end is unknown
  mac,      // LLDP, by an address of the other end
  lldp,     // LLDP, by the names that the other end sends
  subnet,   // the links of an InfiniBand subnet
  serial    // the serial numbers of the plugs
};
std::string_view to_string(Proof proof);  // "carrier only"

// The port at an end of a cable, by the readings there.
struct SeenPeer {
  std::optional<PortRef> port;  // nullopt: a port unknown to the document
  std::string text;             // its name in messages
};

struct CableReport {
  PortRef a, b;
  std::string network;
  CableState state = CableState::no_data;
  std::string detail;  // "pve1/cx5/1 is cabled to pve3/cx5/2 (LLDP)", "no carrier at both ends"
  SourceRange range;
  bool infiniband = false;           // judged by the subnet's answers
  std::vector<NodeName> not_seen{};  // nodes at its ends that no subnet shows
  WireLack lack = WireLack::none;
  bool subnet_read = false;     // some look at a subnet gave data
  std::vector<PortRef> shut{};  // those of the two ports that are shut
  // In a chain: a port heard several neighbours, so that LLDP proves nothing.
  bool lldp_is_ambiguous = false;
  // A neighbour was heard whose name or port name can't be compared with the document.
  bool lldp_is_unmapped = false;
  Proof proof = Proof::none;
  // The peers of its two ports, where they are not those of the document.
  std::optional<SeenPeer> at_a{}, at_b{};
};

// An observed link that the document does not have: the document's port `a`, and the other end `b`,
// a port or "an unknown device, 'sto7 HCA-1' (0x...) port 1".
struct UnexpectedCable {
  std::string a, b;
  friend bool operator==(const UnexpectedCable&, const UnexpectedCable&) = default;
};

}  // namespace fabric::verify
