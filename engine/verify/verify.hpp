// Verify: is the fabric what the document says, judged by what the wire does? Cables by link state
// and LLDP, paths by pings over the fabric, transit by which pairs fail. "No data" is never ok.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/remote/command.hpp"

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

struct CableReport {
  PortRef a, b;
  std::string network;
  CableState state = CableState::no_data;
  std::string detail;  // "pve1/cx5/1 is cabled to pve3/cx5/2 (LLDP)", "no carrier at both ends"
  SourceRange range;
  // Both nodes were asked and yet an end is down or has no device: not even a link is there.
  bool without_link = false;
};

// One ping from a port's address to another port's address, out of that port.
struct Path {
  PortRef from, to;
  std::string network;
  std::string from_interface;  // netdev on the node
  std::string to_address;
  std::uint32_t mtu = 1500;  // the IP MTU that must pass unfragmented
  auto operator<=>(const Path&) const = default;
};

// `untested`: the ping could not be made, so nothing is known; it is neither passed nor lost.
enum class Passage : std::uint8_t { untested, lost, passed };
std::string_view to_string(Passage passage);

struct PathReport {
  Path path;
  Passage small = Passage::untested;  // 56 bytes of payload
  Passage full = Passage::untested;   // the full MTU, fragmentation forbidden; only after `small`
  std::string detail;                 // what ping said, when it said more than "no answer"
};

// A cause, as near as the evidence allows: "frames are lost in transit through pve3: chaining is
// off there or its firmware drops them".
struct Finding {
  std::string rule;  // cable-missing, cable-mis-wired, transit-lost, mtu-lost, path-lost,
                     // not-reachable, ...
  Severity severity = Severity::error;
  std::string message;
  std::string help;
  SourceRange range;
};

struct Report {
  std::vector<CableReport> cables;
  std::vector<PathReport> paths;
  std::vector<Finding> findings;
  bool ok() const;  // no finding of severity error
};

// Extra read-only probes that verify wants beside the providers' ("lldp", "link-state").
std::vector<Probe> verify_probes();

// Which pings to make: every ordered pair of ports of different nodes in a network of up to 16
// ports; beyond that, from every port to the ports of the nearest nodes along its cable and to the
// farthest. Interface names are taken from the snapshot; nodes that were not reached are left out.
std::vector<Path> paths_to_test(const FabricSpec& spec, const discovery::Snapshot& snapshot);

// The pings of one node as one command, and what its output says. POSIX sh, iputils or BusyBox.
remote::Command ping_command(const std::vector<Path>& from_one_node);
std::vector<PathReport> parse_pings(
    const std::vector<Path>& from_one_node, const remote::CommandOutput& output);

// Pure: everything together.
Report judge(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const std::vector<PathReport>& paths);

}  // namespace fabric::verify
