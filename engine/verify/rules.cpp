#include "engine/verify/rules.hpp"

namespace fabric::verify {

namespace {

constexpr RuleInfo kRules[] = {
    // judge
    {"not-reachable",
     Severity::error,
     RuleStage::verify,
     "A node of the document could not be asked, so nothing is known of its cables and paths.",
     "ARCHITECTURE.md, truth has layers: unknown never equals desired",
     "Bring the node back or correct its address; the message says at which stage it failed."},
    // cables/
    {"cable-missing",
     Severity::error,
     RuleStage::verify,
     "A declared cable is not there: an end has no carrier or sees nobody.",
     "UFM cable validation and NetBox model cables the same way: two ends, each port once",
     "Plug the cable in, or correct the document."},
    {"cable-mis-wired",
     Severity::error,
     RuleStage::verify,
     "An end of a declared cable sees another port than the declared one.",
     "IEEE 802.1AB (LLDP); ibnetdiscover(8)",
     "Move the cable, or correct the document; the message names both ports."},
    {"cable-one-sided",
     Severity::error,
     RuleStage::verify,
     "One end of a declared cable has a carrier and the other has none. A chain then misroutes "
     "frames of some hosts, which is worse than no cable.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (a cable that "
     "is present on one side only)",
     "Look at both plugs; a transceiver or the cable is broken."},
    {"cable-degraded",
     Severity::warning,
     RuleStage::verify,
     "A declared cable runs slower than the document says.",
     "ethtool(8) and iblinkinfo(8): the speed in use",
     "Look at the cable and the ports' settings, or correct `speed`."},
    {"cable-unexpected",
     Severity::warning,
     RuleStage::verify,
     "A node of the document has an InfiniBand link that the document does not know. Routing uses "
     "it, and a fat tree with one cable too many is no fat tree.",
     "ibnetdiscover(8) lists every link; OpenSM's ftree engine gives up on topologies that are "
     "none "
     "and goes on as minhop",
     "Write the cable, list the port under `ports`, or pull the cable out."},
    {"cable-no-data",
     Severity::warning,
     RuleStage::verify,
     "Nothing on the nodes tells what is at the other end. That is not the same as right.",
     "IEEE 802.1AB (LLDP): no frame heard says nothing about the cable; libibnetdisc returns what "
     "it "
     "has when answers are lost; a virtual function may not ask the subnet at all",
     "Install a tool that tells (lldpd, infiniband-diags), or look at the cable."},
    // evidence/
    {"link-errors",
     Severity::warning,
     RuleStage::verify,
     "A port counted errors, or lost its link, while the verify ran. Pings are repeated until they "
     "pass and RDMA retries, so a bad plug shows in the counters first.",
     "Linux, Documentation/ABI/testing/sysfs-class-net and sysfs-class-net-statistics; "
     "InfiniBand specification, PortCounters (SymbolErrorCounter, LinkDownedCounter)",
     "Clean or reseat both plugs, then try another cable, then another port."},
    {"interface-renamed",
     Severity::error,
     RuleStage::verify,
     "An interface is not called what the document calls it, so that what configures it by that "
     "name does "
     "not find it. Names change with the link type, the slot and the kernel.",
     "systemd.net-naming-scheme(7): the first letters follow the type (en, ib), the rest slot or "
     "path",
     "Run `fabric plan`: it writes the name by the port's path, and a reboot makes it so."},
    // flows/
    {"tool-missing",
     Severity::error,
     RuleStage::verify,
     "What measures is not on the node, so what was asked for could not be tested.",
     "perftest (ib_send_bw) and iperf3 are packages of their own in Debian and RHEL",
     "Install the package that the message names, or list it under `packages`."},
    {"flow-failed",
     Severity::error,
     RuleStage::verify,
     "RDMA or TCP between two ports does not work, though both were asked for it.",
     "Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)', step 8: ib_send_bw between the two "
     "hosts proves RDMA",
     "The message has the tool's own words; look at the ports, addresses and GIDs of both ends."},
    {"bandwidth-low",
     Severity::warning,
     RuleStage::verify,
     "A flow carries less than can be expected of the slower of link and PCIe slot: less than 80 % "
     "of it by RDMA, less than 50 % by TCP, a tenth less for each card of a chain that forwards.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (96 Gb/s of 100 "
     "in a ring, \"a small dip in performance on each hop\"); how-to 'Using 40G Mellanox "
     "Infiniband "
     "single- or dual-port NICs' (24.5 Gb/s of 40 by one TCP stream)",
     "Look for counted errors, a narrow PCIe slot, flow control, and the tuning profiles."},
    // failover/
    {"failover-failed",
     Severity::error,
     RuleStage::verify,
     "A port of a bond was closed, as a pulled cable would, and frames did not go on within two "
     "seconds, or it could not be tried.",
     "linux Documentation/networking/bonding.rst, 7 (configuring bonding for maximum "
     "availability)",
     "Check `miimon`, and that the other end takes the ports for one group."},
    {"failover-one-sided",
     Severity::warning,
     RuleStage::verify,
     "A policy that spreads flows over the ports sent all of many flows by one of them.",
     "linux Documentation/networking/bonding.rst, xmit_hash_policy: layer2 sends all traffic to "
     "one peer by the same port",
     "Use `hash_policy: layer3+4` for few peers with many connections."},
    // subnet/: managers
    {"routing-fell-back",
     Severity::error,
     RuleStage::verify,
     "The master did not route the subnet by the engine that the document wants: that one failed, "
     "and OpenSM went on with the next, at last with minhop, which may deadlock where the cabling "
     "has loops. An engine that stands later in the document's own list is a warning.",
     "OpenSM 3.3.23: `tables configured on all switches` in its log; ftree on a ring logs ERR AB2B "
     "and ends in minhop",
     "Mend the cabling or the roots that the engine needs, or write the engine that fits."},
    {"external-master-differs",
     Severity::error,
     RuleStage::verify,
     "The document names the port GUID of the manager that is not ours, and the ports of the "
     "network "
     "hear another master: it gives out other partitions, and may go as it came.",
     "opensm(8); `sminfo` on the member ports",
     "Stop the other manager or start the document's; or write the port GUID of the one that is to "
     "stay."},
    {"routing-unknown",
     Severity::warning,
     RuleStage::verify,
     "The document wants a routing engine, the manager is master of a subnet with switches, and "
     "its "
     "log does not tell how it routed them: it was cut or is not there. That OpenSM was told an "
     "engine does not say that it could use it.",
     "OpenSM 3.3.23: `tables configured on all switches` in its log, after each routing",
     "See the log on the master's node; a heavy sweep (`kill -HUP`) writes the line anew."},
    {"sm-silent",
     Severity::error,
     RuleStage::verify,
     "Nobody manages the subnet: its ports stay in INIT, have no LID, and IPoIB has no carrier. "
     "That a service runs proves nothing; `sminfo` was asked.",
     "InfiniBand Architecture 1.3, 14; Debian's opensm.service is active also when every opensm "
     "it started is dead",
     "Run `fabric plan`: it says which manager does not run. Its log is "
     "/var/log/opensm.fabric-NAME.log."},
    {"stray-manager",
     Severity::warning,
     RuleStage::verify,
     "A subnet manager answers where the document places none (the master says so). One that "
     "stands "
     "by takes over when the others are gone, with defaults instead of these partitions. An error "
     "where it is the master.",
     "Debian's opensm starts on every InfiniBand port when it is installed; switches have managers",
     "Stop it there (systemctl disable --now opensm; on a managed switch: no ib sm), or place it."},
    // subnet/: ports
    {"port-unmanaged",
     Severity::error,
     RuleStage::verify,
     "An InfiniBand port has a link and stays in INIT: nobody has configured it, so it has no LID "
     "and carries nothing. Of a subnet whose manager is external this is all that tells.",
     "InfiniBand Architecture 1.3, 14: a port leaves INIT by its subnet's manager alone",
     "Run `fabric plan`: it says which manager does not run; or start the external one."},
    {"partition-not-programmed",
     Severity::error,
     RuleStage::verify,
     "A port has not the P_Keys that the document's partitions give it. What stands in the "
     "manager's file is only a wish: for one mistake OpenSM drops the whole file, and a standby "
     "that took over may have another one. The port's own table is read.",
     "OpenSM 3.3.23, random partition files on ibsim; /sys/class/infiniband/*/ports/*/pkeys",
     "See who is master, and its log; `fabric plan` says whose file differs."},
    {"partition-surplus",
     Severity::error,
     RuleStage::verify,
     "A port has a P_Key that the document's partitions do not give it, or a full one where it is "
     "a "
     "limited member: it reaches what the document keeps from it. A P_Key of no partition of the "
     "document is a warning.",
     "InfiniBand Architecture 1.3, 10.9; /sys/class/infiniband/*/ports/*/pkeys",
     "See who is master, and what it was started with; `fabric plan` says whose file differs."},
    {"partition-group-differs",
     Severity::error,
     RuleStage::verify,
     "The multicast group that IPoIB of a partition joins has another MTU than the document says, "
     "or is not there: IPoIB can have no larger MTU than its group, and without one it has no "
     "carrier. The master was asked (saquery), on its own port; one that is external is not.",
     "RFC 4391, 5; OpenSM 3.3.23 makes a group once and keeps it, whatever its file says later",
     "Restart OpenSM on the managers, the master last, if `fabric plan` finds nothing to change."},
    // paths/
    {"path-untested",
     Severity::warning,
     RuleStage::verify,
     "A ping could not be made, so whether frames pass is not known. BusyBox ping, for one, "
     "can't forbid fragmentation.",
     "ping(8) of iputils, -M do; BusyBox ping has no such option",
     "Install iputils-ping on the node."},
    {"path-lost",
     Severity::error,
     RuleStage::verify,
     "Two ports of one network do not reach each other at all.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"all ports "
     "should be pingable from all other ports\")",
     "See the findings about cables and links first."},
    {"transit-lost",
     Severity::error,
     RuleStage::verify,
     "Neighbours reach each other and nodes further away do not: a card on the way does not "
     "forward.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (\"only "
     "pinging ports interconnected\")",
     "Look whether HOST_CHAINING_MODE is in effect on the node that the message names, and "
     "reboot it."},
    {"mtu-lost",
     Severity::error,
     RuleStage::verify,
     "Small frames pass and full-size frames don't.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (8150 bytes on "
     "firmware 16.22.1002)",
     "Lower the MTU, or update the firmware on the way."},
    {"roce-lag-missing",
     Severity::error,
     RuleStage::verify,
     "A bond should carry RDMA over both ports of its card, and the card shows an RDMA device for "
     "each port: RDMA does not fail over, and a connection stays on one port.",
     "netdev mailing list, 2024-05 (ConnectX-5, firmware 16.31.1014): ibv_devinfo lists two "
     "devices before bonding, and mlx5_bond_0 alone after it",
     "Take the ports out of the bond and in again, or reboot the node; `roce: false` if a plain "
     "bond is meant."},
};

}  // namespace

RuleRows verify_rules() {
  return kRules;
}

}  // namespace fabric::verify
