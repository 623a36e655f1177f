// SPDX-License-Identifier: Apache-2.0
// Fail-over: one port of a bond after the other is closed while frames flow, and what that did to
// them. It takes links down, so it is made only when it is asked for by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/platform/port_closing.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

struct Failover {
  std::string network;
  std::string bond;                  // interface
  std::string policy;                // "802.3ad"; "chain" of a ring, "manager" of a subnet manager
  PortRef port;                      // the one that is closed
  std::string interface;             // of the port
  std::vector<std::string> others;   // interfaces of the bond's other ports
  std::vector<std::string> targets;  // addresses of the other nodes of the network, in their order

  // "pve1/cx5/1"; the node, of a manager that is a switch's.
  std::string place() const { return port.port.empty() ? port.node.str() : port.str(); }
};

enum class FailoverState : std::uint8_t { untested, failed, passed };
std::string_view to_string(FailoverState state);

struct FailoverReport {
  Failover failover;
  FailoverState state = FailoverState::untested;
  // Of the pings to the target that fared worst.
  std::uint32_t sent = 0, received = 0;
  double longest_gap = 0;  // seconds without a reply
  // Interfaces that sent nothing while all ports were open.
  std::vector<std::string> silent;
  std::string detail;   // why it failed or could not be tried
  bool reached = true;  // its node; of one that was not, `not-reachable` has said all
  // Only the kernel closed the port, and its card keeps the link.
  bool keeps_link = false;
};

// Every port of every bond that can be tried, in order of network and port.
std::vector<Failover> failovers_to_test(
    const FabricSpec& spec, const discovery::Snapshot& snapshot);
// The other bonds of the document on its hosts, each by its first port, with the reason why it
// can't be tried: its node was not reached, there is no node to ping, a port has no device, ...
std::vector<FailoverReport> untried_failovers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot);

// The test on the node that has the port, and its result.
platform::PortClosing closing_of(const Failover& failover);
FailoverReport judge_failover(const Failover& failover, const platform::PortClosingAnswer& answer);

// Rules `failover-failed`, and `failover-one-sided` where the policy spreads flows and they went
// over one port, and `failover-not-pulled`, once for all ports that kept their link. A bond that
// does not aggregate explains both, a node that was not reached what could not be tried.
void add_failover_findings(
    const FabricSpec& spec, const std::vector<FailoverReport>& reports, Findings& findings);

}  // namespace fabric::verify
