// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/verify.hpp"

namespace fabric::verify {

namespace {

constexpr RuleInfo kVerifyRules[] = {
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
     "A declared cable is not there: an end has no carrier or sees no neighbour.",
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
     "A node of the document has an InfiniBand link that is not in the document. Routing uses it, "
     "and a fat tree with one cable too many is no fat tree.",
     "E-ib-discovery: ibnetdiscover(8); rdma-core, libibnetdisc; E-opensm-routing: opensm(8), "
     "routing; OpenSM 3.3.23, measured",
     "Write the cable, list the port under `ports`, or pull the cable out."},
    {"cable-shut",
     Severity::error,
     RuleStage::verify,
     "A port at an end of a declared cable is shut, at a switch or on a host. The cable may be "
     "right, but nothing can pass it.",
     "E-cable-model: UFM and NetBox cable models; ibdiagnet",
     "Open the port; the message names it."},
    {"cable-unproven",
     Severity::error,
     RuleStage::verify,
     "No source shows the far end of the cable, or whether the cable is there. A cable without "
     "evidence is not known to be right, so the verify is incomplete and ends with exit code 4.",
     "E-lldp: IEEE 802.1AB; E-ib-node-description: rdma-ndd(8); E-ib-discovery: ibnetdiscover(8); "
     "rdma-core, libibnetdisc",
     "Let both ends give their names (lldpd, rdma-ndd), give a dump of the subnet, `node_guid` or "
     "the port's number, or write `proof: carrier` where a link is enough."},
    {"switch-vlan-differs",
     Severity::error,
     RuleStage::verify,
     "A port, bond or VLAN of a managed switch is not as the document says: in another VLAN, in no "
     "bridge, or with another address. Pings pass where all ports of a network are in one wrong "
     "VLAN, which may be that of another network.",
     "E-nvue-port-vlans; E-onyx-vlans",
     "Look at the plan, and apply it; the plan shows changes made by hand at the switch."},
    {"host-network-differs",
     Severity::error,
     RuleStage::verify,
     "An interface of a host runs with another VLAN number, address, route or gateway than the "
     "document says. Pings between two hosts don't show it.",
     "E-linux-sysfs: Linux, Documentation/ABI/testing",
     "Look at the plan, and apply it; the plan shows changes made by hand at the host."},
    {"switch-vlan-unknown",
     Severity::error,
     RuleStage::verify,
     "A managed switch was asked and does not tell in which VLAN or bridge a port is, or which "
     "address it has. The verify is incomplete and ends with exit code 4.",
     "E-nvue-port-vlans; E-onyx-vlans",
     "Look at the port at the switch; `fabric plan` names the answer that could not be read."},
    {"lldp-in-firmware",
     Severity::warning,
     RuleStage::verify,
     "An LLDP agent in the card takes the frames of a port, so the host's agent hears no "
     "neighbour.",
     "E-lldp-firmware: queries of ConnectX-4 Lx and BlueField cards",
     "Turn the card's agent off: `firmware: {params: {LLDP_NB_RX_MODE_P1: 0}}`."},
    // links/
    {"chain-buffers-zero",
     Severity::warning,
     RuleStage::verify,
     "A card in a chain drops frames of a priority that it has no descriptors or buffer for.",
     "E-chain-buffers: queries of ConnectX-5 cards",
     "Set the factory's values again, and reboot the node."},
    {"link-below-capability",
     Severity::warning,
     RuleStage::verify,
     "A link runs slower than the fastest mode that both of its ports support, and the document "
     "does not say that it should.",
     "E-link-speed: ethtool(8); iblinkinfo(8)",
     "Look at the cable and at auto-negotiation, or write `speed` at the cable."},
    {"fec-differs",
     Severity::warning,
     RuleStage::verify,
     "The two ends of a cable use different forward error correction. At most speeds such a link "
     "stays down, at the others it loses frames.",
     "E-link-fec: ethtool(8), --show-fec",
     "Set both ends alike, or both to auto."},
    {"fec-uncorrectable",
     Severity::warning,
     RuleStage::verify,
     "A port lost blocks that forward error correction could not correct. Corrected blocks are "
     "normal from 50 Gb/s a lane on, lost ones never are.",
     "E-link-fec: ethtool(8), --show-fec",
     "Clean or reseat both plugs, then try another cable."},
    {"module-hot",
     Severity::warning,
     RuleStage::verify,
     "A module is hotter than its own warning, or than 70 degrees Celsius where it has none. It "
     "makes bit errors, and then switches itself off.",
     "E-link-module: ethtool(8), -m; SFF-8636; SFF-8472",
     "Look at the fans, the airflow and the modules beside it."},
    {"module-dark",
     Severity::warning,
     RuleStage::verify,
     "An optical module receives less light than its own warning, or none on a lane.",
     "E-link-module: ethtool(8), -m; SFF-8636; SFF-8472",
     "Clean both plugs of the fibre, and look for a bend or a wrong polarity."},
    {"module-alarm",
     Severity::warning,
     RuleStage::verify,
     "A module raises an alarm or a warning of its own.",
     "E-link-module: ethtool(8), -m; SFF-8636; SFF-8472",
     "Clean both plugs, then try another module."},
    {"bit-errors-high",
     Severity::warning,
     RuleStage::verify,
     "A link has more bit errors than a sound one: more than 1e-15 after forward error correction, "
     "or more than 1e-5 before.",
     "E-link-ber: mlxlink(1), Physical Counters and BER Info",
     "Clean or reseat both plugs, then try another cable."},
    {"pcie-link-degraded",
     Severity::warning,
     RuleStage::verify,
     "A card's PCIe link trained to less than both the card and its slot can do.",
     "E-pcie: 40G how-to, tables of PCI Express; chaining thread",
     "Reseat the card; then look at the riser and at the firmware's settings for the slot."},
    {"pcie-errors",
     Severity::warning,
     RuleStage::verify,
     "A card's PCIe link counted an error that was not corrected, or a thousand that were, since "
     "the boot.",
     "E-pcie-errors: Linux, Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats",
     "Reseat the card; then try another slot or riser."},
    {"read-request-small",
     Severity::info,
     RuleStage::verify,
     "A fast card reads memory in requests that are too small to fill its link (MaxReadReq).",
     "E-pcie-read-request: NVIDIA, PCIe configuration for maximum performance",
     "Set MaxReadReq to 4096 in the BIOS, or by setpci in a unit for each boot."},
    {"iommu-translates",
     Severity::info,
     RuleStage::verify,
     "Each access of a card to memory is translated by the IOMMU, which costs bandwidth.",
     "E-iommu: Linux, Documentation/ABI/testing/sysfs-kernel-iommu_groups",
     "Where no guest needs it, boot with the kernel parameter iommu=pt."},
    {"cable-differs",
     Severity::warning,
     RuleStage::verify,
     "The plug of a cable reports another length or part number than the document.",
     "E-link-module: ethtool(8), -m; SFF-8636",
     "Correct the cable in the document, or replace it."},
    {"firmware-not-uniform",
     Severity::warning,
     RuleStage::verify,
     "Cards of one model and PSID run different firmware. A test between two of them proves "
     "nothing about the others.",
     "E-firmware-notes: NVIDIA firmware release notes per adapter",
     "Burn one version on all of them."},
    {"address-duplicate",
     Severity::error,
     RuleStage::verify,
     "Ports of two nodes have one address: a card was given the addresses of another one, for "
     "example by a copied firmware image. Frames then go to either.",
     "E-mac-duplicate: IEEE 802; mstflint(1), -guid and -mac",
     "Restore the card's own addresses with the firmware tool."},
    {"node-odd",
     Severity::warning,
     RuleStage::verify,
     "A node differs from most nodes with the same profiles and cards: in speed, FEC, module, "
     "slot, firmware or kernel. Only `--level odd` looks for it.",
     "E-odd: rule of thumb, used by tools of clusters that compare nodes",
     "Make the nodes alike, or give them profiles of their own."},
    // evidence/
    {"link-errors",
     Severity::warning,
     RuleStage::verify,
     "A port counted errors, or lost its link, while the verify ran. Pings are repeated and "
     "RDMA retries, so a bad plug shows in the counters first.",
     "E-ib-counters: InfiniBand Architecture 1.3, PortCounters; Linux, "
     "Documentation/ABI/testing/sysfs-class-net",
     "Clean or reseat both plugs, then try another cable, then another port."},
    {"counter-saturated",
     Severity::warning,
     RuleStage::verify,
     "The error counters of InfiniBand have 4, 8 or 16 bits and stop at their top. A counter at "
     "its top shows no further error, so it proves nothing when it does not change.",
     "E-ib-counter-widths: InfiniBand Architecture 1.3, PortCounters; Linux, "
     "drivers/infiniband/core/sysfs.c",
     "Set the counters to 0 (`perfquery -R`), then verify again."},
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
     "The tool for the measurement is not on the node, so the test could not be made: the verify "
     "is incomplete and ends with exit code 4.",
     "E-linux-packages: packages of Debian 12 and RHEL 9",
     "Install the package that the message names, or list it under `packages`."},
    {"flow-failed",
     Severity::error,
     RuleStage::verify,
     "RDMA or TCP between two ports does not work, although both ends were asked for it.",
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
    {"bandwidth-odd",
     Severity::warning,
     RuleStage::verify,
     "A node or a flow carries less than comparable ones: among at least five flows of one "
     "network, tool and number of forwarding cards, it is below the median by more than a tenth "
     "and by more than four times the spread.",
     "E-outliers: Leys and others, 'Detecting outliers: do not use standard deviation around the "
     "mean, use absolute deviation around the median'",
     "`fabric verify --level odd` compares the node with its equals; where both ends carry more "
     "with "
     "other nodes, look at the switches between them."},
    // flows/: addresses of RoCE
    {"roce-gid-missing",
     Severity::error,
     RuleStage::verify,
     "An address of a network has no GID of RoCE v2 on any RDMA device of its node, so that RDMA "
     "can't use it.",
     "E-roce-gid: Linux, Documentation/ABI/stable/sysfs-class-infiniband, gid_attrs",
     "Bring the address onto the interface of the card (`fabric plan`), and look at the RDMA "
     "device with `rdma link`."},
    // failover/
    {"failover-failed",
     Severity::error,
     RuleStage::verify,
     "A port of a bond was closed, as a pulled cable would close it, or a cable of a ring of "
     "chaining cards is out. Traffic did not continue within two seconds, or by the paths that are "
     "left. Or the subnet manager that was master was stopped, and no standby became master, or it "
     "was not master again after its start, as the priorities of the document say.",
     "E-bonding-failover: Linux, Documentation/networking/bonding.rst, 7 and miimon",
     "For a bond check `miimon`, and that the other end treats the ports as one group; for subnet "
     "managers look at OpenSM's logs and at `sminfo` on both nodes."},
    {"failover-untested",
     Severity::error,
     RuleStage::verify,
     "The fail-over of a bond, a ring or a subnet manager could not be tried, so the verify is "
     "incomplete and ends "
     "with exit code 4. A ring, for example, is tested by pulling a cable, because a card with a "
     "closed port still forwards frames; a master without a living standby is not stopped. Where "
     "the document has no bond and no ring the finding is "
     "an information.",
     "E-bonding-failover: Linux, Documentation/networking/bonding.rst, 7 and miimon",
     "Remove the obstacle in the message, then verify again with `--level failover`."},
    {"isolation-broken",
     Severity::error,
     RuleStage::verify,
     "A ping from one side of a pair of `isolated` to the other was answered. The document does "
     "not connect the two, but a cable, a switch or a host does.",
     "E-grammar: docs/document.md",
     "Look for a cable in another switch, a VLAN or a partition that was made by hand, a route, or "
     "a host that forwards."},
    {"isolation-unproven",
     Severity::error,
     RuleStage::verify,
     "Nothing proves that the two sides of a pair of `isolated` are kept apart, so the verify is "
     "incomplete and ends with exit code 4. A lost ping proves it only where the same port reaches "
     "an address that it must reach.",
     "E-grammar: docs/document.md",
     "Let a path of that port pass first, or give both sides addresses."},
    {"failover-not-pulled",
     Severity::info,
     RuleStage::verify,
     "A card keeps its link when the kernel closes its port (KEEP_ETH_LINK_UP, on by default), and "
     "its own tool could not take the link down. The other end sees no pulled cable, so its "
     "reaction was not tested.",
     "E-keep-link: Mellanox/mstflint, mlxlink, sendPaosDown(); mlxconfig of cards in the field",
     "Set `KEEP_ETH_LINK_UP_P1: false` under `firmware.params` for the test, close the port of the "
     "switch, or pull the cable."},
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
     "The routing engine of the document failed, so OpenSM used the next one, and at last minhop, "
     "which may deadlock if the cabling has loops. If the used engine stands later in the "
     "document's own list, the finding is a warning.",
     "E-opensm-routing: opensm(8), routing; OpenSM 3.3.23, measured",
     "Correct the cabling or the roots that the engine needs, or write the engine that fits."},
    {"external-master-differs",
     Severity::error,
     RuleStage::verify,
     "The document names the port GUID of the external manager, and the ports of the network "
     "hear another master. That master sets its own partitions.",
     "E-ib-sminfo: sminfo(8)",
     "Stop the other manager or start the document's; or write the port GUID of the manager that "
     "is to stay."},
    {"routing-unknown",
     Severity::error,
     RuleStage::verify,
     "The document wants a routing engine, and the log of the master does not say which engine "
     "routed the switches: the log was cut or is not there. The option alone does not prove "
     "that OpenSM could use the engine, so the verify is incomplete and ends with exit code 4.",
     "E-opensm-routing: opensm(8), routing; OpenSM 3.3.23, measured",
     "See the log on the master's node; a heavy sweep (`kill -HUP`) writes the line anew."},
    {"sm-silent",
     Severity::error,
     RuleStage::verify,
     "No manager answers in the subnet. Its ports stay in INIT and have no LID, and IPoIB has "
     "no carrier. `sminfo` shows it; a running OpenSM service alone proves nothing.",
     "E-ib-manager: InfiniBand Architecture 1.3, 14; E-opensm-debian: Debian 12, opensm.service "
     "and /etc/default/opensm",
     "Run `fabric plan`: it says which manager does not run. That manager's log is "
     "/var/log/opensm.fabric-NAME.log."},
    {"master-differs",
     Severity::error,
     RuleStage::verify,
     "A manager is master although another running one has a higher priority in the document: the "
     "running managers have other priorities, or the master did not hand over.",
     "E-ib-master: InfiniBand Architecture 1.3, 14.4",
     "Compare the running priorities, then restart the manager that should not be master."},
    {"stray-manager",
     Severity::warning,
     RuleStage::verify,
     "A subnet manager answers where the document places none, according to the master; or it "
     "answers in place of the one that the document places, which does not run. A standby "
     "takes over when the other managers are gone, with its defaults in place of these "
     "partitions. The finding is an error where the stray manager is the master.",
     "E-opensm-debian: Debian 12, opensm.service and /etc/default/opensm",
     "Stop that manager (systemctl disable --now opensm; on a managed switch: no ib sm), or place "
     "it in the document."},
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
     "over may have another file. fabric reads the port's own table.",
     "E-opensm-partitions: OpenSM, doc/partition-config.txt; E-linux-sysfs: Linux, "
     "Documentation/ABI/testing",
     "See which manager is master, and its log; `fabric plan` says whose file differs."},
    {"partition-surplus",
     Severity::error,
     RuleStage::verify,
     "A port has a P_Key that the document's partitions do not give it, or is a full member "
     "where it should be a limited one. It reaches ports that the document separates from it. A "
     "P_Key of no partition of the document is a warning.",
     "E-ib-pkey: InfiniBand Architecture 1.3, 10.9; E-linux-sysfs: Linux, "
     "Documentation/ABI/testing",
     "See which manager is master, and its options at start; `fabric plan` says whose file "
     "differs."},
    {"partition-group-differs",
     Severity::error,
     RuleStage::verify,
     "The multicast group of a partition's IPoIB has another MTU than the document says, or "
     "does not exist. IPoIB has no larger MTU than its group, and no carrier without it. saquery "
     "asks the master at its own port; an external master is not asked.",
     "E-ipoib-group: RFC 4391, 5; E-opensm-groups: OpenSM 3.3.23, measured",
     "Restart OpenSM on the managers, the master last, if `fabric plan` finds nothing to change."},
    // qos/
    {"qos-differs",
     Severity::error,
     RuleStage::verify,
     "A port or switch of a lossless network sorts, pauses or marks in another way than the "
     "document says. RoCE is lossless only where both ends of every cable agree.",
     "E-qos-host: mlnx_qos and dcb(8); E-qos-switch: NVUE `qos roce`, Onyx `roce`",
     "Run `fabric plan`; the message names the port, the part and the value at the other end."},
    {"qos-unknown",
     Severity::error,
     RuleStage::verify,
     "A part of lossless RoCE could not be read at a port, so it is not known to be right: the "
     "verify is incomplete and ends with exit code 4.",
     "E-qos-host: mlnx_qos and dcb(8); E-qos-ecn: NVIDIA, RoCE configuration guides",
     "Install the tool that reads it, or look at the port by hand."},
    {"qos-frames-lost",
     Severity::warning,
     RuleStage::verify,
     "A port of a lossless network dropped frames or saw RDMA packets out of sequence while the "
     "verify ran, so somewhere on the way the priority is not lossless.",
     "E-qos-counters: Linux, mlx5 counters.rst; NVIDIA, RoCE counters",
     "Look at the counters of each hop; a switch port or host with another priority is usual."},
    {"roce-lossy",
     Severity::info,
     RuleStage::verify,
     "The network carries RDMA and has no `qos`. RoCE works without it, and slows down a lot when "
     "frames are dropped.",
     "E-qos-host: mlnx_qos and dcb(8)",
     "Write `qos` in the network, or leave it out: cards with good congestion control work without "
     "it."},
};

}  // namespace

RuleRows verify_rules() {
  return kVerifyRules;
}

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
