// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/rules.hpp"

namespace fabric::verify {

namespace {

constexpr RuleInfo kPathRules[] = {
    {"path-tests-missing",
     Severity::warning,
     RuleStage::verify,
     "fabric can't test paths from a node of this platform, so nothing is known of the paths that "
     "begin there. Where only that node could test a path, a flow or a fail-over, the finding is "
     "an error: the verify is incomplete and ends with exit code 4.",
     "E-unknown: docs/decisions/002-truth-has-layers.md",
     "Test the paths of the node by hand."},
    {"path-untested",
     Severity::error,
     RuleStage::verify,
     "A ping could not be made. Where the other end could make none either, it is unknown whether "
     "frames pass: the verify is incomplete and ends with exit code 4; else the finding is a "
     "warning. BusyBox ping, for one, can't forbid fragmentation.",
     "E-linux-ping: ping(8); BusyBox ping",
     "Install iputils-ping on the node."},
    {"path-lost",
     Severity::error,
     RuleStage::verify,
     "Two ports of one network do not reach each other at all.",
     "E-chain-one-subnet: NVIDIA developer forum, 'How to configure host chaining for "
     "ConnectX-5 VPI'",
     "See the findings about cables and links first."},
    {"transit-lost",
     Severity::error,
     RuleStage::verify,
     "Neighbours reach each other, and nodes further away do not. A card on the way does not "
     "forward.",
     "E-chain-one-subnet: NVIDIA developer forum, 'How to configure host chaining for "
     "ConnectX-5 VPI'",
     "Look whether HOST_CHAINING_MODE is in effect on the node that the message names, and "
     "reboot it."},
    {"mtu-lost",
     Severity::error,
     RuleStage::verify,
     "Small frames pass and full-size frames don't.",
     "E-chain-mtu-limit: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 "
     "VPI'",
     "Lower the MTU, or update the firmware on the way."},
    {"ring-open",
     Severity::warning,
     RuleStage::plan,
     "A ring of chaining cards is set up, and cables of it are not where the document has them: a "
     "node is being added or removed, a cable was moved, or a cable is unplugged. Until they are "
     "in place the ring is a line, or in pieces, and the finding says what is lost meanwhile.",
     "E-chain-source-rules: Linux 6.18 in network namespaces",
     "Apply, then move the cables one after the other, and verify."},
    {"bond-peer-differs",
     Severity::error,
     RuleStage::verify,
     "The port channel of a managed switch does not fit the bond at its other end: another mode, "
     "no LACP, other ports, a smaller MTU; or LACP does not take a port into it (suspended, "
     "individual). Where only the saved configuration of the switch differs, its next boot undoes "
     "the running one, and the finding is a warning. It is a warning, too, where the switch "
     "spreads frames by another hash than the bond, which leaves links idle.",
     "E-bonding-peer: Linux, Documentation/networking/bonding.rst, switch configuration",
     "Let `fabric apply` set up the switch; the plan shows the lines typed there by hand."},
    {"roce-lag-missing",
     Severity::error,
     RuleStage::verify,
     "A bond should carry RDMA over both ports of its card, and the card shows an RDMA device "
     "for each port: RDMA does not fail over, and a connection stays on one port.",
     "E-roce-lag-device: Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)'; netdev mailing "
     "list, May 2024",
     "Take the ports out of the bond and in again, or reboot the node; for a plain bond write "
     "`roce: false`."},
};

}  // namespace

RuleRows path_rules() {
  return kPathRules;
}

}  // namespace fabric::verify
