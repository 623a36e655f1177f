// The rules of the mode infiniband: managers, IPoIB, partitions.
#include <iterator>

#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr Severity kError = Severity::error;
constexpr Severity kWarning = Severity::warning;
constexpr RuleStage kDocument = RuleStage::document;

constexpr RuleInfo kRules[] = {
    {"sm-missing",
     kError,
     kDocument,
     "An InfiniBand port stays in Initializing until a subnet manager has swept its subnet. "
     "Subnets are the connected parts of the cabling; host adapters do not forward, so every "
     "cable between two hosts is a subnet of its own.",
     "InfiniBand Architecture 1.3, 14; Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, "
     "installation guide rev. 1.30, 4.4.1 (a manager has to run on at least one machine)",
     "Add a manager inside each subnet, say `subnet_manager: {external: true}`, or use mode "
     "chain or a switch."},
    {"sm-platform-unsupported",
     kError,
     kDocument,
     "No subnet manager runs on ESX or ESXi, and none can be started on a switch that nobody "
     "logs in to.",
     "Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation guide rev. 1.30, note 6 "
     "(\"VMware ESX Server does not support any InfiniBand SM\")",
     "Put the manager on a Linux host or a managed switch."},
    {"sm-priority-tie",
     kError,
     kDocument,
     "Two managers of one subnet with one priority: the port GUID decides which is master, and a "
     "replaced card changes it.",
     "opensm(8), --priority; of equal priorities the lower port GUID becomes master",
     "Give each manager of a subnet its own `priority`."},
    {"sm-not-in-network",
     kError,
     kDocument,
     "A manager reaches only the subnet that its port is plugged into.",
     "opensm(8), --guid: one instance serves one port",
     "Name a member port of the network, `adapter/P` if the node has several."},
    {"sm-by-package",
     kWarning,
     kDocument,
     "Where opensm is installed Debian starts it on every InfiniBand port, with its defaults: on a "
     "node that the document makes no manager it stands by, and takes over without these "
     "partitions when the others are gone.",
     "Debian 12, opensm.service and /etc/default/opensm (PORTS=ALL)",
     "Leave opensm out of `packages` there (the tools are in infiniband-diags), or place a "
     "manager."},
    {"sm-virtualization-needed",
     kError,
     kDocument,
     "Virtual functions are ports that only a manager with virtualization support configures; "
     "without it they stay down.",
     "VMware, 'InfiniBand Configuration on VMware vSphere 8', 4.2 (`ib sm virt enable`)",
     "Say `subnet_manager: {virtualization: true}`."},
    {"routing-engine-unknown",
     kError,
     kDocument,
     "A manager that does not know an engine falls back to minhop, which can deadlock in a ring "
     "or torus.",
     "opensm(8), routing",
     "Use an engine from the list in the message."},
    {"routing-node-unfit",
     kError,
     kDocument,
     "OpenSM is told of a routing's nodes by GUIDs: roots are switches by their node GUID, I/O "
     "nodes are hosts by the GUIDs of their ports. A GUID of another kind is found nowhere, and "
     "OpenSM says nothing.",
     "opensm(8), --root_guid_file, --io_guid_file",
     "Name as roots unmanaged switches that have a `node_guid`, and as `io` hosts with a port in "
     "the network."},
    {"sm-guid-invalid",
     kError,
     kDocument,
     "`subnet_manager.guid` says which external manager is meant; managers of the document serve "
     "the "
     "ports that they are placed on, each another one.",
     "opensm(8), --guid: one instance serves one port",
     "Write the port GUID of the external manager, with `external: true`; else leave it out."},
    {"ib-mtu-invalid",
     kError,
     kDocument,
     "InfiniBand has five MTUs, and a partition can't have a larger one than its network.",
     "InfiniBand Architecture 1.3, 14.2.5.6; Mellanox InfiniBand OFED for VI 3.5 and vSphere "
     "4.0, installation guide rev. 1.30, 4.4.2.5 (4K MTU through the partition)",
     "Use 256, 512, 1024, 2048 or 4096."},
    {"ipoib-mtu-too-large",
     kError,
     kDocument,
     "IPoIB in datagram mode carries at most the IB MTU less 4 bytes. Connected mode and its "
     "65520 bytes do not exist with the enhanced IPoIB of ConnectX-4 and later; ESX knows "
     "datagram mode only, up to 4052 (VI3) or 4092 bytes and 2044 on InfiniHost III.",
     "RFC 4391, 7; linux drivers/net/ethernet/mellanox/mlx5/core/ipoib; Mellanox InfiniBand OFED "
     "for VI 3.5 and vSphere 4.0, installation guide rev. 1.30, 4.4.2.5 and note 4",
     "Lower `ipoib.mtu`, or raise the network's `mtu` to 4096."},
    {"uplinks-limit",
     kError,
     kDocument,
     "The ESX IPoIB driver makes at most 8 uplinks of a port and 16 of a host (16 and 32 on "
     "VI3).",
     "Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation guide rev. 1.30, 4.4.2.2",
     "Lower `ipoib.uplinks`."},
    {"port-not-in-network",
     kError,
     kDocument,
     "IPoIB is asked for on a port that is not in the network.",
     "docs/document.md, `networks.NETWORK.ipoib.ports`",
     "Add the port to `cables` or `ports`, or remove it here."},
    {"pkey-invalid",
     kError,
     kDocument,
     "A P_Key is 16 bits of which the low 15 are its identity, from 1 to 0x7fff; bit 15 says "
     "full or limited.",
     "InfiniBand Architecture 1.3, 10.9.1.1",
     "Use a number from 1 to 0x7fff."},
    {"pkey-duplicate",
     kError,
     kDocument,
     "P_Keys that differ only in bit 15 are one partition.",
     "InfiniBand Architecture 1.3, 10.9.3",
     "Give each partition its own low 15 bits."},
    {"pkey-limit",
     kError,
     kDocument,
     "The P_Key table of a port is finite, and the default partition takes one entry.",
     "Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation guide rev. 1.30, 4.4.2.4 "
     "(64 on InfiniHost III, 128 on ConnectX)",
     "Make the port a member of fewer partitions."},
    {"partition-member-unknown",
     kError,
     kDocument,
     "A member that is no node or port of the network gets no P_Key; one syntax error makes "
     "OpenSM ignore the whole file. A switch is a member by its port 0, whose GUID is the "
     "switch's.",
     "OpenSM, doc/partition-config.txt",
     "Use a node or endpoint of the network, ALL or SELF; give a switch its `node_guid`."},
    {"partition-limited-only",
     kWarning,
     kDocument,
     "Two limited members can't talk to each other. A partition without a full member carries "
     "nothing.",
     "InfiniBand Architecture 1.3, 10.9.3",
     "Make at least one member `full`."},
    {"vlan-needs-partition",
     kError,
     kDocument,
     "InfiniBand has no VLAN tags: a VLAN is carried by a partition.",
     "Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation guide rev. 1.30, "
     "4.4.2.4; RFC 4392",
     "Add `partition: NAME` with a partition of the network."},
    {"partition-without-ipoib",
     kError,
     kDocument,
     "IPoIB runs in the broadcast group of its partition, which OpenSM makes only where the "
     "partition says so: an interface without it never has a carrier. The interface of a port runs "
     "in the default partition, a VLAN in its own.",
     "RFC 4391, 5; OpenSM, doc/partition-config.txt (`ipoib`)",
     "Say `ipoib: true` in the partition."},
};

}  // namespace

std::vector<RuleInfo> infiniband_rules() {
  return {std::begin(kRules), std::end(kRules)};
}

}  // namespace fabric::rules
