// SPDX-License-Identifier: Apache-2.0
// Fail-over: closes one port of a bond after the other while frames flow, and judges how many were
// lost. It takes links down, so it runs only when it is asked for by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/platform/path_tests.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/path_report.hpp"
#include "engine/verify/report/reports.hpp"

namespace fabric::verify {

struct Failover {
  std::string network;
  std::string bond;                  // interface of the bond
  std::string policy;                // "802.3ad"; "chain" of a ring, "manager" of a subnet manager
  PortRef port;                      // the port that is closed
  std::string interface;             // interface of `port`
  std::vector<std::string> others;   // interfaces of the bond's other ports
  std::vector<std::string> targets;  // addresses of the other nodes of the network, in their order

  // "pve1/cx5/1"; the name of the node for a manager on a switch.
  std::string place() const { return port.port.empty() ? port.node.str() : port.str(); }
};

enum class FailoverState : std::uint8_t { untested, failed, passed };
std::string_view to_string(FailoverState state);

struct FailoverReport {
  Failover failover;
  FailoverState state = FailoverState::untested;
  // Numbers of pings to the target with the worst result.
  std::uint32_t sent = 0, received = 0;
  double longest_gap = 0;  // seconds without a reply
  // Interfaces that sent nothing while all ports were open.
  std::vector<std::string> silent;
  std::string detail;   // why it failed or could not be tried
  bool reached = true;  // its node was reached; if not, `not-reachable` says so
  // Only the kernel closed the port: its card keeps the link.
  bool keeps_link = false;
};

// Returns every port of every bond that can be tried, in order of network and port.
std::vector<Failover> failovers_to_test(
    const FabricSpec& spec, const discovery::Snapshot& snapshot);
// Returns the other bonds of hosts, each by its first port, with the reason why it can't be tried:
// its node was not reached, there is no node to ping, a port has no device, ...
std::vector<FailoverReport> untried_failovers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot);

// The test of closing the port on its node.
platform::PortClosing closing_of(const Failover& failover);
FailoverReport judge_failover(const Failover& failover, const platform::PortClosingAnswer& answer);

// Rules `failover-failed`; `failover-one-sided` where the policy spreads flows and they went over
// one port; `failover-not-pulled`, once for all ports that kept their link. A bond that does not
// aggregate explains the first two, a node that was not reached an untried fail-over.
void add_failover_findings(
    const FabricSpec& spec, const std::vector<FailoverReport>& reports, Findings& findings);

// Fail-over of subnet managers: the master on a host is stopped until a standby is master, and
// started again.
struct ManagerFailover {
  Failover failover;  // policy "manager", port of the master
  platform::ManagerStopping stopping;
  std::string obstacle;  // why the test is not made; "" = it is made
};

// Returns one for each subnet with several managers in the document, in order of network and port;
// with an obstacle where no master is known, no standby runs, or the master is on a switch.
std::vector<ManagerFailover> manager_failovers(
    const FabricSpec& spec, const std::vector<ManagerReport>& managers);

FailoverReport judge_manager_failover(
    const ManagerFailover& tried, const platform::ManagerStoppingAnswer& answer);

// Fail-over of rings whose cards forward. No action on a host takes a cable away there: a port that
// is closed may keep its link, and its card still forwards (E-chain-host-down). So the test judges
// cables that a person has unplugged.
// Returns one report for each network of mode chain, from the pings made while a cable had no
// carrier at either end or a node was down: passed if every path passed that the rest of the ring
// must carry; untested while nothing is missing.
std::vector<FailoverReport> ring_failovers(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const std::vector<PathReport>& paths);

// The untested report for a document without anything to test. REQUIRES: it has a node.
FailoverReport nothing_to_fail_over(const FabricSpec& spec);

}  // namespace fabric::verify
