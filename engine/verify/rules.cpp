#include "engine/verify/rules.hpp"

namespace fabric::verify {

namespace {

constexpr RuleInfo kRules[] = {
    // judge
    {"not-reachable",
     Severity::error,
     RuleStage::verify,
     "A node of the document could not be asked, so nothing is known of its cables and paths.",
     "E-unknown: docs/decisions/002-truth-has-layers.md",
     "Bring the node back or correct its address; the message says at which stage it failed."},
    // cables/
    {"cable-missing",
     Severity::error,
     RuleStage::verify,
     "A declared cable is not there: an end has no carrier or sees nobody.",
     "E-cable-model: UFM and NetBox cable models; ibdiagnet",
     "Plug the cable in, or correct the document."},
    {"cable-mis-wired",
     Severity::error,
     RuleStage::verify,
     "An end of a declared cable sees another port than the declared one.",
     "E-lldp: IEEE 802.1AB; E-ib-discovery: ibnetdiscover(8); rdma-core, libibnetdisc",
     "Move the cable, or correct the document; the message names both ports."},
    {"cable-one-sided",
     Severity::error,
     RuleStage::verify,
     "One end of a declared cable has a carrier and the other has none. A chain then misroutes "
     "frames of some hosts, which is worse than no cable.",
     "E-chain-half-cable: NVIDIA developer forum, 'How to configure host chaining for "
     "ConnectX-5 VPI'",
     "Look at both plugs; a transceiver or the cable is broken."},
    {"cable-degraded",
     Severity::warning,
     RuleStage::verify,
     "A declared cable runs slower than the document says.",
     "E-link-speed: ethtool(8); iblinkinfo(8)",
     "Look at the cable and the ports' settings, or correct `speed`."},
    {"cable-unexpected",
     Severity::warning,
     RuleStage::verify,
     "A node of the document has an InfiniBand link that the document does not know. Routing "
     "uses it, and a fat tree with one cable too many is no fat tree.",
     "E-ib-discovery: ibnetdiscover(8); rdma-core, libibnetdisc; E-opensm-routing: opensm(8), "
     "routing; OpenSM 3.3.23, measured",
     "Write the cable, list the port under `ports`, or pull the cable out."},
    {"cable-no-data",
     Severity::warning,
     RuleStage::verify,
     "No reading tells what is at the other end of the cable. A cable that nobody has read is "
     "not known to be right.",
     "E-lldp: IEEE 802.1AB; E-ib-discovery: ibnetdiscover(8); rdma-core, libibnetdisc",
     "Install a tool that tells (lldpd, infiniband-diags), or look at the cable."},
    // evidence/
    {"link-errors",
     Severity::warning,
     RuleStage::verify,
     "A port counted errors, or lost its link, while the verify ran. Pings are repeated and "
     "RDMA retries, so a bad plug shows in the counters first.",
     "E-ib-counters: InfiniBand Architecture 1.3, PortCounters; Linux, "
     "Documentation/ABI/testing/sysfs-class-net",
     "Clean or reseat both plugs, then try another cable, then another port."},
    {"interface-renamed",
     Severity::error,
     RuleStage::verify,
     "An interface has another name than the document gives it, so configuration by that name "
     "does not reach it. Names change with the link type, the slot and the kernel.",
     "E-linux-names: systemd.net-naming-scheme(7); systemd.link(5)",
     "Run `fabric plan`: it writes the name by the port's path, and a reboot makes it so."},
    // flows/
    {"tool-missing",
     Severity::error,
     RuleStage::verify,
     "The tool that measures is not on the node, so the test could not be made.",
     "E-linux-packages: packages of Debian 12 and RHEL 9",
     "Install the package that the message names, or list it under `packages`."},
    {"flow-failed",
     Severity::error,
     RuleStage::verify,
     "RDMA or TCP between two ports does not work, though both were asked for it.",
     "E-rdma-test: Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)', step 8",
     "The message has the tool's own words; look at the ports, addresses and GIDs of both ends."},
    {"bandwidth-low",
     Severity::warning,
     RuleStage::verify,
     "A flow carries less than can be expected of the slower of link and PCIe slot: less than "
     "80 % of it by RDMA, less than 50 % by TCP, a tenth less for each card of a chain that "
     "forwards.",
     "E-chain-bandwidth: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 "
     "VPI'; E-tcp-streams: how-to 'Using 40G Mellanox Infiniband single- or dual-port NICs'; "
     "E-pcie: how-to 'Using 40G Mellanox Infiniband single- or dual-port NICs', PCI Express "
     "tables",
     "Look for counted errors, a narrow PCIe slot, flow control, and the tuning profiles."},
    // failover/
    {"failover-failed",
     Severity::error,
     RuleStage::verify,
     "A port of a bond was closed, as a pulled cable would close it. Traffic did not continue "
     "within two seconds, or the test could not be made.",
     "E-bonding-failover: Linux, Documentation/networking/bonding.rst, 7 and miimon",
     "Check `miimon`, and that the other end takes the ports for one group."},
    {"failover-one-sided",
     Severity::warning,
     RuleStage::verify,
     "A policy that spreads flows over the ports of a bond sent all flows by one port.",
     "E-bonding-hash: Linux, Documentation/networking/bonding.rst, xmit_hash_policy",
     "Use `hash_policy: layer3+4` for few peers with many connections."},
    // subnet/: managers
    {"routing-fell-back",
     Severity::error,
     RuleStage::verify,
     "The routing engine of the document failed, so OpenSM used the next one, and at last "
     "minhop, which may deadlock where the cabling has loops. An engine that stands later in "
     "the document's own list is a warning.",
     "E-opensm-routing: opensm(8), routing; OpenSM 3.3.23, measured",
     "Mend the cabling or the roots that the engine needs, or write the engine that fits."},
    {"external-master-differs",
     Severity::error,
     RuleStage::verify,
     "The document names the port GUID of the external manager, and the ports of the network "
     "hear another master. That master sets its own partitions.",
     "E-ib-sminfo: sminfo(8)",
     "Stop the other manager or start the document's; or write the port GUID of the one that is "
     "to stay."},
    {"routing-unknown",
     Severity::warning,
     RuleStage::verify,
     "The document wants a routing engine, and the log of the master does not say which engine "
     "routed the switches: the log was cut or is not there. The option alone does not prove "
     "that OpenSM could use the engine.",
     "E-opensm-routing: opensm(8), routing; OpenSM 3.3.23, measured",
     "See the log on the master's node; a heavy sweep (`kill -HUP`) writes the line anew."},
    {"sm-silent",
     Severity::error,
     RuleStage::verify,
     "No manager answers in the subnet. Its ports stay in INIT and have no LID, and IPoIB has "
     "no carrier. `sminfo` was asked; a running service proves nothing.",
     "E-ib-manager: InfiniBand Architecture 1.3, 14; E-opensm-debian: Debian 12, opensm.service "
     "and /etc/default/opensm",
     "Run `fabric plan`: it says which manager does not run. Its log is "
     "/var/log/opensm.fabric-NAME.log."},
    {"stray-manager",
     Severity::warning,
     RuleStage::verify,
     "A subnet manager answers where the document places none, as the master reports. A standby "
     "takes over when the other managers are gone, with its defaults in place of these "
     "partitions. The finding is an error where the stray manager is the master.",
     "E-opensm-debian: Debian 12, opensm.service and /etc/default/opensm",
     "Stop it there (systemctl disable --now opensm; on a managed switch: no ib sm), or place "
     "it."},
    // subnet/: ports
    {"port-unmanaged",
     Severity::error,
     RuleStage::verify,
     "An InfiniBand port has a link and stays in INIT, because no manager has configured it. It "
     "has no LID and carries nothing. Where the manager is external, this is the only sign that "
     "it is missing.",
     "E-ib-manager: InfiniBand Architecture 1.3, 14",
     "Run `fabric plan`: it says which manager does not run; or start the external one."},
    {"partition-not-programmed",
     Severity::error,
     RuleStage::verify,
     "A port does not have the P_Keys that the document's partitions give it. The manager's "
     "file proves nothing: OpenSM drops the whole file for one mistake, and a standby that took "
     "over may have another file. The port's own table was read.",
     "E-opensm-partitions: OpenSM, doc/partition-config.txt; E-linux-sysfs: Linux, "
     "Documentation/ABI/testing",
     "See who is master, and its log; `fabric plan` says whose file differs."},
    {"partition-surplus",
     Severity::error,
     RuleStage::verify,
     "A port has a P_Key that the document's partitions do not give it, or is a full member "
     "where it should be a limited one. It reaches ports that the document separates from it. A "
     "P_Key of no partition of the document is a warning.",
     "E-ib-pkey: InfiniBand Architecture 1.3, 10.9; E-linux-sysfs: Linux, "
     "Documentation/ABI/testing",
     "See who is master, and what it was started with; `fabric plan` says whose file differs."},
    {"partition-group-differs",
     Severity::error,
     RuleStage::verify,
     "The multicast group of a partition's IPoIB has another MTU than the document says, or "
     "does not exist. IPoIB has no larger MTU than its group, and no carrier without it. The "
     "master was asked by saquery on its own port; an external master is not asked.",
     "E-ipoib-group: RFC 4391, 5; E-opensm-groups: OpenSM 3.3.23, measured",
     "Restart OpenSM on the managers, the master last, if `fabric plan` finds nothing to change."},
    // paths/
    {"path-untested",
     Severity::warning,
     RuleStage::verify,
     "A ping could not be made, so it is unknown whether frames pass. BusyBox ping, for one, "
     "can't forbid fragmentation.",
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
    {"roce-lag-missing",
     Severity::error,
     RuleStage::verify,
     "A bond should carry RDMA over both ports of its card, and the card shows an RDMA device "
     "for each port: RDMA does not fail over, and a connection stays on one port.",
     "E-roce-lag-device: Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)'; netdev mailing "
     "list, May 2024",
     "Take the ports out of the bond and in again, or reboot the node; `roce: false` if a plain "
     "bond is meant."},
};

}  // namespace

RuleRows verify_rules() {
  return kRules;
}

}  // namespace fabric::verify
