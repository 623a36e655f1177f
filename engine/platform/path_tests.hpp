// SPDX-License-Identifier: Apache-2.0
// PathTests: tests of paths from a node of a platform. Pure like HostPlatform: it names steps and
// reads their outputs; engine/verify judges the answers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/abstract.hpp"
#include "engine/base/clock.hpp"
#include "engine/base/node_name.hpp"
#include "engine/model/names.hpp"
#include "engine/platform/link_readings.hpp"
#include "engine/platform/port_readings.hpp"
#include "engine/platform/traffic.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::platform {

// A port of a bond closed as a pulled cable would close it, while pings go over the bond.
struct PortClosing {
  std::string bond;                  // interface of the bond
  std::string interface;             // interface of the port that is closed
  std::vector<std::string> others;   // interfaces of the bond's other ports
  std::vector<std::string> targets;  // addresses that are pinged meanwhile
};

struct PingReplies {
  std::set<std::uint32_t> sequence;  // sequence numbers of the replies, from 1
  std::uint32_t sent = 0;
};

struct PortClosingAnswer {
  std::string untested;  // why the port was not closed; "" = it was
  bool complete = false;
  // The card keeps its link when the kernel closes a port, and its own tool could not take it down:
  // the other end may not have noticed.
  bool keeps_link = false;
  bool stays_down = false;                                // the port did not come up again
  double ping_interval = 0;                               // seconds between two pings
  std::map<std::string, PingReplies, std::less<>> pings;  // by target
  // Frames sent by each interface: at first, and after many flows while all ports were open.
  std::map<std::string, std::uint64_t> sent_at_first, sent_open;
};

// A look at the subnets of one node's ports, from that node.
// The view that one port has of its subnet, or why it was not read.
struct SubnetLook {
  std::string from;     // "c101 (mlx5_0/1)"
  std::string text;     // the subnet in the format of ibnetdiscover
  std::string errors;   // standard error of the look
  std::string why_not;  // "" = it looked
};

struct SubnetLooks {
  std::vector<SubnetLook> looks;  // never empty: without a port to look from it has a `why_not`
  std::vector<Guid> dark;         // port GUIDs of InfiniBand ports without a link
};

// PathTests: tests of paths from a node of a platform. Pure like HostPlatform: it names steps and
// reads their outputs; engine/verify judges the answers.
// A ping from an interface of the node to an address.
struct Ping {
  std::string from_interface;  // by the node's name for it, or an address that it has
  std::string to_address;      // IPv4 or IPv6, without a prefix length
  // The IP MTU in bytes that must pass unfragmented; 0 = unknown, and only a small ping is made.
  std::uint32_t mtu = 0;
};

// `untested`: the ping could not be made, so nothing is known; it is neither passed nor lost.
enum class Passage : std::uint8_t { untested, lost, passed };
std::string_view to_string(Passage passage);

struct PingAnswer {
  Passage small = Passage::untested;  // 56 bytes of payload
  Passage full = Passage::untested;   // the full MTU, fragmentation forbidden; only after `small`
  std::string detail;                 // ping's message, if it is more than "no answer"
};

// For every result: REQUIRES that its outcome is `succeeded`. Any output is an answer; output that
// is not that of a test shows it.
class PingTests : public Abstract {
 public:
  // All pings of one node, one after the other.
  virtual remote::Step ping(std::span<const Ping> pings) const = 0;
  // As many as `pings`, in their order. An answer that is cut short leaves the rest untested.
  virtual std::vector<PingAnswer> ping_answers(
      std::span<const Ping> pings, const remote::StepResult& result) const = 0;
};

// A test that stops the master subnet manager until another one is master, and starts it again.
struct ManagerStopping {
  std::string name;   // name of its resource: "ib.hca.1"
  Duration takes{0};  // the time that a standby may take
  Duration again{0};  // the time that this one may take to be master again; 0: not required
};

struct ManagerStoppingAnswer {
  std::string untested;  // why the manager was not stopped; "" = it was
  bool complete = false;
  std::optional<std::int64_t> taken;  // seconds until another manager was master
  std::string by;                     // port GUID of that manager
  bool stays_down = false;            // its service did not start again
  bool again = false;                 // it was master again in time
};

// The counters of a machine's ports, read before and after a verify.
class PortCounters : public Abstract {
 public:
  virtual remote::Step read_ports() const = 0;
  virtual PortReadings port_readings(const remote::StepResult& result) const = 0;
};

class PathTests : public PingTests, public PortCounters {
 public:
  // Reads modules, FEC and slots, which takes seconds.
  virtual remote::Step read_links() const = 0;
  virtual LinkReadings link_readings(const remote::StepResult& result) const = 0;

  // Looks once at each subnet of the node's InfiniBand ports, by physical functions only: a subnet
  // manager refuses questions of a virtual one.
  virtual remote::Step look_at_subnets() const = 0;
  virtual SubnetLooks subnet_looks(
      const NodeName& node, const remote::StepResult& result) const = 0;

  virtual MeasuringTool tool(Traffic traffic) const = 0;
  // The server ends after one client, or by itself when none comes: nothing is left on the node.
  virtual remote::Step serve(const FlowOrder& order) const = 0;
  virtual remote::Step send(const FlowOrder& order) const = 0;
  virtual FlowAnswer flow_answer(Traffic traffic, const remote::StepResult& client) const = 0;
  // Why the server failed, in the tool's own words; "" = it did not, or says nothing.
  virtual std::string serving_failure(const remote::StepResult& server) const = 0;

  // Takes about 15 seconds. The port comes up again even if the session ends: the node itself waits
  // for that.
  virtual remote::Step close_port(const PortClosing& closing) const = 0;
  virtual PortClosingAnswer closing_answer(const remote::StepResult& result) const = 0;

  // The node itself starts the manager again, also if the session ends.
  virtual remote::Step stop_manager(const ManagerStopping& stopping) const = 0;
  virtual ManagerStoppingAnswer stopping_answer(const remote::StepResult& result) const = 0;
};

}  // namespace fabric::platform
