// The findings of plan time and of `verify`: what the document alone can't tell.
#include <iterator>

#include "engine/model/rules_detail.hpp"

namespace fabric::rules {

namespace {

constexpr Severity kError = Severity::error;
constexpr Severity kWarning = Severity::warning;
constexpr RuleStage kPlan = RuleStage::plan;
constexpr RuleStage kVerify = RuleStage::verify;

constexpr RuleInfo kRules[] = {
    {"not-supported-yet",
     kError,
     kPlan,
     "The document is right, but no provider does this yet. It is refused by name, never "
     "half-applied.",
     "README.md, what works today",
     "Remove the key for now, or set the node to `state: observe`."},
    {"firmware-too-old",
     kError,
     kPlan,
     "The card runs older firmware than `firmware.minimum`.",
     "the document's own `firmware.minimum`; NVIDIA firmware release notes per adapter",
     "Update the firmware, or lower `minimum`."},
    {"pcie-bandwidth",
     kWarning,
     kPlan,
     "The PCIe link of the card is narrower or slower than its ports together: they can't all "
     "run at line rate.",
     "how-to 'Using 40G Mellanox Infiniband single- or dual-port NICs', PCI-Express tables; "
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"proper PCI "
     "bandwidth to support line rate\")",
     "Move the card to a wider slot, or know the limit."},
    {"adapter-missing",
     kError,
     kPlan,
     "No card on the node fits the adapter of the document.",
     "ARCHITECTURE.md, truth has layers: unknown never equals desired",
     "Correct model or selector, or look why the card is not there: lspci -d 15b3:"},
    {"interface-name-unknown",
     kError,
     kPlan,
     "The port has no network interface whose name could be found, so nothing can be configured "
     "on it.",
     "systemd.net-naming-scheme(7); rdma-core, rdma_rename: names follow the slot and the link "
     "type",
     "Load the driver, and look at `ip link` on the node."},
    {"foreign-configuration",
     kError,
     kPlan,
     "Configuration of a member port that fabric did not write would fight with what it writes.",
     "how-to 'Using 40G Mellanox Infiniband single- or dual-port NICs' (slaves and master of one "
     "bond contradict each other, the last writer wins)",
     "Remove that configuration on the node."},
    {"bond-not-aggregated",
     kWarning,
     kPlan,
     "A bond is up but does not do what its mode promises: a slave is down, or LACP has found no "
     "partner. Pings pass over the one port that is left, so nobody notices.",
     "Linux Documentation/networking/bonding.rst, 802.3ad; /proc/net/bonding shows aggregator "
     "ids "
     "and the partner's MAC",
     "Look at the cable, and at the other end's LACP or channel group."},
    {"node-unreachable",
     kWarning,
     kPlan,
     "The node did not answer, so nothing is known of it and nothing is planned for it.",
     "ansible issue 56265 (hosts that could not be reached were not counted)",
     "See the reason in the message; exit code 4 says that the result is incomplete."},
    {"plan-cycle",
     kError,
     kPlan,
     "Things need each other in a circle, or nodes each other's reboot, so there is no order in "
     "which to make them.",
     "nmstate (order is limited to four levels) and linux-system-roles (order is the user's): "
     "what this graph replaces",
     "Break the circle at one of the lines shown."},
    {"change-impossible",
     kError,
     kPlan,
     "The document asks for something that this card or node can't be made to do.",
     "mstflint, mlxconfig: what the tools refuse, and how they say it",
     "The message says what stands in the way."},
    {"rollout-held-back",
     kWarning,
     kPlan,
     "Disturbing this node now would take more out of service than the rollout allows: nodes "
     "that can't be reached count as down, and a ring must not be cut twice.",
     "ansible issue 56265 (hosts that could not be reached were not counted)",
     "Bring the nodes back that are down, or raise `rollout.max_unavailable`."},
    {"identity-missing",
     kWarning,
     kPlan,
     "The node has no machine id, so apply can't tell whether it is still the machine that the "
     "plan was made for.",
     "machine-id(5)",
     "Make one: systemd-machine-id-setup, or dbus-uuidgen --ensure."},
    {"cable-missing",
     kError,
     kVerify,
     "A declared cable is not there: an end has no carrier or sees nobody.",
     "UFM cable validation and NetBox model cables the same way: two ends, each port once",
     "Plug the cable in, or correct the document."},
    {"cable-mis-wired",
     kError,
     kVerify,
     "An end of a declared cable sees another port than the declared one.",
     "IEEE 802.1AB (LLDP); ibnetdiscover(8)",
     "Move the cable, or correct the document; the message names both ports."},
    {"cable-one-sided",
     kError,
     kVerify,
     "One end of a declared cable has a carrier and the other has none. A chain then misroutes "
     "frames of some hosts, which is worse than no cable.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (a cable that "
     "is present on one side only)",
     "Look at both plugs; a transceiver or the cable is broken."},
    {"cable-degraded",
     kWarning,
     kVerify,
     "A declared cable runs slower than the document says.",
     "ethtool(8) and iblinkinfo(8): the speed in use",
     "Look at the cable and the ports' settings, or correct `speed`."},
    {"cable-no-data",
     kWarning,
     kVerify,
     "Nothing on the nodes tells what is at the other end. That is not the same as right.",
     "IEEE 802.1AB (LLDP): no frame heard says nothing about the cable",
     "Install a tool that tells (lldpd, infiniband-diags), or look at the cable."},
    {"not-reachable",
     kError,
     kVerify,
     "A node of the document could not be asked, so nothing is known of its cables and paths.",
     "ARCHITECTURE.md, truth has layers: unknown never equals desired",
     "Bring the node back or correct its address; the message says at which stage it failed."},
    {"path-untested",
     kWarning,
     kVerify,
     "A ping could not be made, so whether frames pass is not known. BusyBox ping, for one, "
     "can't forbid fragmentation.",
     "ping(8) of iputils, -M do; BusyBox ping has no such option",
     "Install iputils-ping on the node."},
    {"transit-lost",
     kError,
     kVerify,
     "Neighbours reach each other and nodes further away do not: a card on the way does not "
     "forward.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"only "
     "pinging ports interconnected\")",
     "Look whether HOST_CHAINING_MODE is in effect on the node that the message names, and "
     "reboot it."},
    {"mtu-lost",
     kError,
     kVerify,
     "Small frames pass and full-size frames don't.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (8150 bytes on "
     "firmware 16.22.1002)",
     "Lower the MTU, or update the firmware on the way."},
    {"path-lost",
     kError,
     kVerify,
     "Two ports of one network do not reach each other at all.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"all ports "
     "should be pingable from all other ports\")",
     "See the findings about cables and links first."},
};

}  // namespace

std::vector<RuleInfo> plan_rules() {
  return {std::begin(kRules), std::end(kRules)};
}

}  // namespace fabric::rules
