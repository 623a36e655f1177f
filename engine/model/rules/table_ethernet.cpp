// The rules of the modes chain and lag.
#include <iterator>

#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr Severity kError = Severity::error;
constexpr Severity kWarning = Severity::warning;
constexpr Severity kInfo = Severity::info;
constexpr RuleStage kDocument = RuleStage::document;
constexpr RuleStage kVerify = RuleStage::verify;

constexpr RuleInfo kRules[] = {
    {"chain-needs-ethernet",
     kError,
     kDocument,
     "Host chaining forwards Ethernet frames by their destination MAC address. Both ports of the "
     "card must be Ethernet; native InfiniBand can't be chained.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"Both ports "
     "should be configured to Ethernet\", \"Only ethernet is supported\")",
     "Let both ports of the card be in the chain, or use a switch for InfiniBand."},
    {"chain-adapter-unsupported",
     kError,
     kDocument,
     "Only dual-port cards of the ConnectX-5 family forward between their ports. Other cards "
     "list HOST_CHAINING_MODE and do nothing with it.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI'; "
     "sriov-network-device-plugin issue 601 (ConnectX-7 lists the parameter), "
     "sriov-network-operator PR 358 (ConnectX-6 Lx)",
     "Use a dual-port ConnectX-5, or the mode ethernet with a switch or routing."},
    {"chain-platform-unsupported",
     kError,
     kDocument,
     "Host chaining is not generally available for ESXi, and a chain has no switch in it.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' "
     "(\"Host-chaining is currently not supported as it is not GA for ESXi\")",
     "On ESXi turn chaining off and put both ports on a bridge with STP, which that thread "
     "reports at nearly line speed."},
    {"chain-not-a-ring",
     kError,
     kDocument,
     "A frame leaves by the other port of each card it passes, so the cards must form one ring "
     "through both their ports. A branch or a second ring is never reached; an open path works "
     "until one cable or node fails.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"all "
     "connected in a correct ring\"); University of Waterloo, CF/HostChaining",
     "Cable port 1 of each node to port 2 of the next and the last to the first: `ring: [a, b, "
     "c]`."},
    {"chain-port-order",
     kWarning,
     kDocument,
     "The reported working rings join port 1 to port 2 of the next node. Other orders forward "
     "too, but cables are then found by trial.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (PVE1 port 1 "
     "to PVE2 port 2, and so on)",
     "Swap the ports at one end, or use `ring`."},
    {"chain-subnet-manager",
     kError,
     kDocument,
     "A chain is Ethernet and has no subnet; a manager would find no InfiniBand port and exit.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"You do NOT "
     "need a subnet manager for this to work!\")",
     "Remove the key."},
    {"chain-mtu-firmware",
     kError,
     kDocument,
     "Firmware 16.22.1002 drops chained frames of more than 8150 bytes; older firmware is not "
     "known to be better.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"max MTU "
     "supported was 8150\", \"lower to 8000 if 9k doesn't work\")",
     "Set `mtu: 8000`, or update the firmware."},
    {"chain-mtu-mixed",
     kError,
     kDocument,
     "The card forwards between its two ports, so they are one Ethernet. Where its two sides "
     "have different MTUs, large frames get lost on the way and small ones don't.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"MTU ... "
     "throwing host_chaining into a weird packet drop situation\")",
     "Give both networks one MTU, or put both ports in one network."},
    {"chain-foreign-mac",
     kError,
     kDocument,
     "A chained port may transmit only with its permanent MAC address. Virtual functions, bonds "
     "and bridges send with others, and those frames are lost.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"Device "
     "allows hosts to transmit traffic only with its permanent MAC\"); University of Waterloo, "
     "CF/HostChaining (SR-IOV off)",
     "Remove `sriov` from the card, or take its ports out of the bond."},
    {"chain-without-addresses",
     kWarning,
     kDocument,
     "Without addresses in one subnet nothing uses the ring and `verify` can't send through it.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"Put all of "
     "the ports on the same subnet\")",
     "Add `ipv4: {subnet: ...}`."},
    {"chain-hops",
     kInfo,
     kDocument,
     "Every card on the way passes the frames of others, so the bandwidth of a link is shared "
     "and falls per hop.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"there is a "
     "small dip in performance on each hop; and each hop also limits your max theoretical "
     "throughput\")",
     "Nothing to do; know it when you place services."},
    {"lag-policy-unsupported",
     kError,
     kDocument,
     "The card enters RoCE LAG only for the policies active-backup (1), balance-xor (2) and "
     "802.3ad (4). With any other the bond is a plain one and RDMA stays on single ports.",
     "Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)', background",
     "Choose one of the three, or say `roce: false`."},
    {"lag-adapter-unsupported",
     kError,
     kDocument,
     "RoCE LAG is a function of ConnectX-4 and later.",
     "Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)'; docs/hardware.md",
     "Say `roce: false`, or use another card."},
    {"lag-not-one-adapter",
     kError,
     kDocument,
     "RoCE LAG needs both ports of one dual-port card in the bond, and nothing else.",
     "Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)' (\"both the Ethernet interfaces "
     "that belong to the same card are only slaves to the same bond\")",
     "Take exactly the two ports of one card, or say `roce: false` for a plain bond over two "
     "cards."},
    {"lag-port-shared",
     kError,
     kDocument,
     "A slave belongs to its bond alone, and a bond name to one network of the node.",
     "Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)' (\"only slaves to the same bond "
     "interface\"); linux Documentation/networking/bonding.rst",
     "Take the port out of the other network, or give the second bond another name."},
    {"lag-miimon-missing",
     kError,
     kDocument,
     "Without link monitoring an active-backup bond never notices that its active slave is dead.",
     "Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)' (\"must be configured with the "
     "miimon option\"); linux Documentation/networking/bonding.rst, miimon",
     "Remove `miimon: 0`; the default is 100 ms."},
    {"lag-kernel-too-old",
     kError,
     kDocument,
     "RoCE LAG needs kernel 4.9 and, where it is used, MLNX_OFED 4.0.",
     "Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)', setup",
     "Update the node, or say `roce: false`."},
    {"lag-peer-mismatch",
     kError,
     kDocument,
     "The other end of the bond must be set up the same way: LACP for 802.3ad, a static port "
     "channel for balance-xor, none for active-backup; over two switches only with MLAG.",
     "Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)' (\"The connected switch or (server) "
     "should be configured on the same way\"); linux Documentation/networking/bonding.rst, "
     "switch configuration",
     "Make both ends agree."},
    {"lag-host-to-host",
     kWarning,
     kDocument,
     "Two hosts cabled back to back have no switch that follows a fail-over: with active-backup "
     "the ends may choose different cables, and LACP aggregates only if both ends see each other "
     "on all of them.",
     "linux Documentation/networking/bonding.rst, 11 (configuring bonding for high availability)",
     "Use balance-rr or balance-xor back to back, or two separate networks."},
    {"lag-option-ignored",
     kWarning,
     kDocument,
     "The bonding driver ignores or refuses options of another policy.",
     "linux Documentation/networking/bonding.rst, bonding driver options",
     "Remove the option, or choose the policy that has it."},
    {"roce-lag-missing",
     kError,
     kVerify,
     "A bond should carry RDMA over both ports of its card, and the card shows an RDMA device for "
     "each port: RDMA does not fail over, and a connection stays on one port.",
     "netdev mailing list, 2024-05 (ConnectX-5, firmware 16.31.1014): ibv_devinfo lists two "
     "devices before bonding, and mlx5_bond_0 alone after it",
     "Take the ports out of the bond and in again, or reboot the node; `roce: false` if a plain "
     "bond is meant."},
};

}  // namespace

std::vector<RuleInfo> ethernet_rules() {
  return {std::begin(kRules), std::end(kRules)};
}

}  // namespace fabric::rules
