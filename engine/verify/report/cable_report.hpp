// What became of each cable: those of the document, and those that it does not know.
#pragma once

#include <cstdint>
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
  degraded,
  no_data
};
std::string_view to_string(CableState state);  // "mis-wired"

// A cable known to be wrong, so that frames that should cross it can't be expected.
bool is_broken(CableState state);

struct CableReport {
  PortRef a, b;
  std::string network;
  CableState state = CableState::no_data;
  std::string detail;  // "pve1/cx5/1 is cabled to pve3/cx5/2 (LLDP)", "no carrier at both ends"
  SourceRange range;
  // Both nodes were asked and yet an end is down or has no device: not even a link is there.
  bool without_link = false;
  bool infiniband = false;           // judged by what the subnet shows
  std::vector<NodeName> not_seen{};  // of both ends, those that no subnet shows
};

// A link that is there and that the document does not know: the port of the document, and what is
// at its other end, a port or "an unknown device, 'sto7 HCA-1' (0x...) port 1".
struct UnexpectedCable {
  std::string a, b;
  friend bool operator==(const UnexpectedCable&, const UnexpectedCable&) = default;
};

}  // namespace fabric::verify
