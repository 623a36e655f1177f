// Verify: is the fabric what the document says, judged by what the wire does? Cables by link state
// and LLDP or by what an InfiniBand subnet shows, paths by pings over the fabric, transit by which
// pairs fail. "No data" is never ok.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/remote/command.hpp"
#include "engine/verify/cables/wire_view.hpp"
#include "engine/verify/failover/failover.hpp"
#include "engine/verify/flows/flow.hpp"

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
  bool infiniband = false;  // judged by what the subnet shows
};

// A link that is there and that the document does not know: the port of the document, and what is
// at its other end, a port or "an unknown device, 'sto7 HCA-1' (0x...) port 1".
struct UnexpectedCable {
  std::string a, b;
  friend bool operator==(const UnexpectedCable&, const UnexpectedCable&) = default;
};

// One ping from a port's address to another port's address, out of that port; of a bond, the first
// of its ports stands for it.
struct Path {
  PortRef from, to;
  std::string network;
  std::string from_interface;  // netdev on the node
  std::string to_address;
  // The IP MTU that must pass unfragmented; 0 = nobody says, and only a small ping is made.
  std::uint32_t mtu = 1500;
  std::string vlan{};  // of the network; "" = untagged
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
                     // link-errors, not-reachable, ...
  Severity severity = Severity::error;
  std::string message;
  std::string help;
  SourceRange range;
};

// Did the error and link-down counters of a port move while the verify ran?
enum class CounterState : std::uint8_t { unknown, still, moved };
std::string_view to_string(CounterState state);

struct MovedCounter {
  std::string name;  // the kernel's: "rx_crc_errors", "carrier_down_count", "link_downed"
  std::uint64_t before = 0, after = 0;
};

struct CounterReport {
  PortRef port;
  std::string interface;  // network device
  std::string rdma;       // "rocep1s0f0/1"; "" if there is no RDMA device
  CounterState state = CounterState::unknown;
  std::vector<MovedCounter> moved;
  std::string why_unknown;
};

// A subnet manager that the document places on a host.
struct ManagerReport {
  std::string network;
  PortRef port;
  // "master", "standby", "none"; "" = unknown; "external" = not ours, and `port` hears it.
  std::string state;
  std::string master;  // port GUID of whom the port takes for its master; "" = nobody or unknown
  bool asked = false;
  std::string since{};          // of `state`, by the node's clock; "" = not told
  std::string routed_by{};      // "ftree"; "none" = no engine could; "" = not told
  std::string routing_error{};  // what it logged before that; "" = nothing
};

// A P_Key that a port has not as the document's partition says.
struct WrongKey {
  std::string partition;     // "storage"
  std::uint16_t wanted = 0;  // bit 15: full member
  std::uint16_t found = 0;   // of the same partition; 0 = none
};

// A P_Key that a port has and the document does not give it.
struct SurplusKey {
  std::string partition;    // "storage"; "" = the document has no such partition
  std::uint16_t found = 0;  // bit 15: full member
  bool is_member = false;   // but a limited one
};

// The IPoIB group of a partition that has another MTU than the document says, or is not there.
struct WrongGroup {
  std::string partition;     // "storage"
  std::uint16_t pkey = 0;    // without bit 15
  std::uint32_t wanted = 0;  // bytes; 0 = the document does not say
  std::uint32_t found = 0;   // bytes; 0 = there is no group
};

// A port of an InfiniBand network, as its host tells it.
struct SubnetPortReport {
  std::string network;
  PortRef port;
  std::string rdma;   // "mlx5_0/1"
  std::string state;  // "ACTIVE", "INIT", "DOWN"
  std::vector<WrongKey> wrong;
  std::vector<SurplusKey> surplus;
  std::vector<WrongGroup> wrong_groups;  // told by the master's port alone
  std::string master{};  // port GUID of whom the port takes for its master; "" = unknown
};

// What was tried and read while the verify ran; empty for saved facts.
struct Tested {
  std::vector<PathReport> paths;
  std::vector<CounterReport> counters;
  std::vector<FlowReport> flows;
  std::vector<FailoverReport> failovers{};
  std::vector<SubnetPortReport> subnet_ports{};
  std::vector<Finding> stray_managers{};
  WireEvidence wire{};
  bool bandwidth_judged = false;  // the flows ran long enough for that
};

struct Report {
  std::vector<CableReport> cables;
  std::vector<PathReport> paths;
  std::vector<CounterReport> counters;
  std::vector<FlowReport> flows;
  std::vector<FailoverReport> failovers{};
  std::vector<ManagerReport> managers{};
  std::vector<SubnetPortReport> subnet_ports{};
  std::vector<UnexpectedCable> unexpected{};
  std::vector<Finding> findings;
  bool ok() const;  // no finding of severity error
};

// Which pings to make, between different nodes that were reached. In a chain: every ordered pair of
// ports of up to 16; beyond that, from every port to the ports of the nearest nodes along its cable
// and to the farthest. In other networks, and in each of their VLANs: from every port or bond with
// an address to all that its cables lead to, directly or over declared switches, or to the next
// three if that are more than 15. Left out are P_Key children of IPoIB, and who has no interface as
// a source; a bond that is not there counts.
std::vector<Path> paths_to_test(const FabricSpec& spec, const discovery::Snapshot& snapshot);

// True if what the path needs may be ready only some seconds after it was set up: a bond, IPoIB.
bool settles_late(const FabricSpec& spec, const Path& path);

// The pings of one node as one command, and what its output says. POSIX sh, iputils or BusyBox.
remote::Command ping_command(const std::vector<Path>& from_one_node);
std::vector<PathReport> parse_pings(
    const std::vector<Path>& from_one_node, const remote::CommandOutput& output);

// Pure: everything together. `of_resources` is what the providers found while they observed: what
// of it says that something asked for does not work (a bond without its partner) is an error here.
Report judge(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const Tested& tested,
    const Diagnostics& of_resources = {});

// Pure: the cables of InfiniBand networks alone, by what the subnets show.
Report judge_wire(const FabricSpec& spec, const WireEvidence& evidence);

}  // namespace fabric::verify
