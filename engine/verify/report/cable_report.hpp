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
  shut,  // a port at an end was told to be down
  degraded,
  no_data,
  offline  // an end is known to be down, so any state of the cable is as expected
};
std::string_view to_string(CableState state);  // "mis-wired"

// A cable known to be wrong, so that frames that should cross it can't be expected.
bool is_broken(CableState state);

// What is lacking to tell which port of a subnet or of a node is which of the document.
enum class WireLack : std::uint8_t {
  none,
  node,     // nothing of the subnet is known to be its node
  adapter,  // its node is there, but which of its adapters is which is not known
  number,   // its switch is there, but which number the port has is not known
  level,    // the level of the verify does not look at its network
  looker,   // no node that was asked can look at its subnet
  device    // its node shows no network device of the card
};

// The evidence for the place of a plug, from the weakest to the strongest.
enum class Proof : std::uint8_t {
  none,
  carrier,  // a link, or none, and nothing of what is at its other end
  mac,      // LLDP, by an address of the other end
  lldp,     // LLDP, by the names that the other end gives itself
  subnet,   // what an InfiniBand subnet shows
  serial    // of the plugs
};
std::string_view to_string(Proof proof);  // "carrier only"

// The port at an end of a cable, by the readings there.
struct SeenPeer {
  std::optional<PortRef> port;  // nullopt: none of the document
  std::string text;             // what to call it
};

struct CableReport {
  PortRef a, b;
  std::string network;
  CableState state = CableState::no_data;
  std::string detail;  // "pve1/cx5/1 is cabled to pve3/cx5/2 (LLDP)", "no carrier at both ends"
  SourceRange range;
  bool infiniband = false;           // judged by what the subnet shows
  std::vector<NodeName> not_seen{};  // of both ends, those that no subnet shows
  WireLack lack = WireLack::none;
  bool subnet_read = false;     // and it does not tell
  std::vector<PortRef> shut{};  // of the two
  // In a chain: a port heard several neighbours, so that LLDP tells nothing.
  bool lldp_is_ambiguous = false;
  // A neighbour was heard whose name, or the name of whose port, can't be compared with the
  // document.
  bool lldp_is_unmapped = false;
  Proof proof = Proof::none;
  // Where the cables at its two ports lead, if they lead elsewhere.
  std::optional<SeenPeer> at_a{}, at_b{};
};

// A link that is there and that the document does not know: the port of the document, and what is
// at its other end, a port or "an unknown device, 'sto7 HCA-1' (0x...) port 1".
struct UnexpectedCable {
  std::string a, b;
  friend bool operator==(const UnexpectedCable&, const UnexpectedCable&) = default;
};

}  // namespace fabric::verify
