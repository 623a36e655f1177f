// The findings of plan time and of `verify`: what the document alone can't tell.
#include <iterator>

#include "engine/model/rules/context.hpp"

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
    {"sm-foreign-master",
     kError,
     kPlan,
     "The subnet has a master that the document does not know. A second one beside it takes the "
     "subnet over or waits for its end, and hands out other partitions either way: it is found "
     "before anything is written.",
     "InfiniBand Architecture 1.3, 14.4 (one master, the others stand by); OpenSM 3.3.23, where "
     "the "
     "new master makes every group anew from its own file",
     "Write `subnet_manager: {external: true}` if it is to stay, else stop it first."},
    {"sm-stray",
     kWarning,
     kPlan,
     "The subnet is managed from a node of the document where it places no manager, with a lower "
     "priority than the document's. The document's manager takes over, and the other one stands "
     "by: when it gets its turn again, it hands out its own partitions.",
     "InfiniBand Architecture 1.3, 14.4 (the higher priority becomes master); Debian starts "
     "opensm.service when its package is installed",
     "Stop it there (`systemctl disable --now opensm`), or place a manager there."},
    {"firmware-psid-mismatch",
     kError,
     kPlan,
     "The card has another PSID than `firmware.psid`: it is another board, or one that another "
     "maker sells. An image of another PSID can make a card useless; fabric never changes a PSID.",
     "mstflint, 'PSID mismatch. The PSID on flash (...) differs from the PSID in the given image'; "
     "PSIDs of NVIDIA's own boards begin with MT_",
     "Take the image that was made for the PSID of the card, from whoever sells the card."},
    {"firmware-image-missing",
     kError,
     kPlan,
     "The file of `firmware.image` can't be read on the machine that fabric runs on. The path is "
     "relative to the folder of the document.",
     "docs/document.md, `nodes.NODE.adapters.ADAPTER.firmware.image`",
     "Put the image there, or correct the path."},
    {"firmware-downgrade",
     kWarning,
     kPlan,
     "The version to burn is older than what the flash of the card has. It is burned, because the "
     "document asks for exactly that version.",
     "mstflint asks before it burns an older version ('The new FW version is older than the "
     "current "
     "FW version on flash'), and fabric answers yes; NVIDIA firmware release notes per adapter "
     "tell "
     "which versions may follow each other",
     "Correct `firmware.version` and `image` if that was not meant."},
    {"os-mismatch",
     kError,
     kPlan,
     "The node runs another release, or an older kernel, than `os` asks for.",
     "the document's own `os`; Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)' (kernel 4.9 "
     "or later)",
     "Update the node, or correct `os`."},
    {"software-mismatch",
     kError,
     kPlan,
     "The RDMA drivers of the node are of another stack or older than `software` asks for, or of "
     "two stacks at once.",
     "ofed_info(1); Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)' (MLNX_OFED 4.0 or "
     "later); two stacks bring the same modules and libraries",
     "Install that stack, or correct `software`."},
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
    {"second-default-route",
     kWarning,
     kPlan,
     "The node has a default route by an interface that fabric does not configure, and the "
     "document gives it another. One of them decides where the answers to everybody elsewhere go: "
     "by metric, by order, or after the next boot by chance. ifupdown does not bring the interface "
     "up.",
     "seen on Debian 12: ifupdown 0.8.41 'RTNETLINK answers: File exists', systemd-networkd 252 "
     "and netplan leave two of one metric, NetworkManager 1.42 gives the later one a higher metric",
     "Name what is reached over that gateway in `routes`, or remove the other default route."},
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
    {"no-rollback-timer",
     kError,
     kPlan,
     "The change may cut off the node, and its platform has no timer that would roll it back.",
     "docs/adding-a-platform.md, what a platform may lack",
     "Have a console at hand and give `--allow-no-rollback NODESET`."},
    {"capability-missing",
     kError,
     kPlan,
     "The work needs something that the platform of its node can't do.",
     "docs/adding-a-platform.md, what a platform may lack",
     "Remove what asks for it, or set the nodes to `state: observe`."},
    {"no-node-lock",
     kWarning,
     kPlan,
     "The platform of these nodes can't hold a lock: two runs would not see each other there.",
     "docs/adding-a-platform.md, what a platform may lack",
     "Let one run at a time change these nodes."},
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
    {"cable-unexpected",
     kWarning,
     kVerify,
     "A node of the document has an InfiniBand link that the document does not know. Routing uses "
     "it, and a fat tree with one cable too many is no fat tree.",
     "ibnetdiscover(8) lists every link; OpenSM's ftree engine gives up on topologies that are "
     "none "
     "and goes on as minhop",
     "Write the cable, list the port under `ports`, or pull the cable out."},
    {"cable-no-data",
     kWarning,
     kVerify,
     "Nothing on the nodes tells what is at the other end. That is not the same as right.",
     "IEEE 802.1AB (LLDP): no frame heard says nothing about the cable; libibnetdisc returns what "
     "it "
     "has when answers are lost; a virtual function may not ask the subnet at all",
     "Install a tool that tells (lldpd, infiniband-diags), or look at the cable."},
    {"link-errors",
     kWarning,
     kVerify,
     "A port counted errors, or lost its link, while the verify ran. Pings are repeated until they "
     "pass and RDMA retries, so a bad plug shows in the counters first.",
     "Linux, Documentation/ABI/testing/sysfs-class-net and sysfs-class-net-statistics; "
     "InfiniBand specification, PortCounters (SymbolErrorCounter, LinkDownedCounter)",
     "Clean or reseat both plugs, then try another cable, then another port."},
    {"tool-missing",
     kError,
     kVerify,
     "What measures is not on the node, so what was asked for could not be tested.",
     "perftest (ib_send_bw) and iperf3 are packages of their own in Debian and RHEL",
     "Install the package that the message names, or list it under `packages`."},
    {"flow-failed",
     kError,
     kVerify,
     "RDMA or TCP between two ports does not work, though both were asked for it.",
     "Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)', step 8: ib_send_bw between the two "
     "hosts proves RDMA",
     "The message has the tool's own words; look at the ports, addresses and GIDs of both ends."},
    {"bandwidth-low",
     kWarning,
     kVerify,
     "A flow carries less than can be expected of the slower of link and PCIe slot: less than 80 % "
     "of it by RDMA, less than 50 % by TCP, a tenth less for each card of a chain that forwards.",
     "NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI' (96 Gb/s of 100 "
     "in a ring, \"a small dip in performance on each hop\"); how-to 'Using 40G Mellanox "
     "Infiniband "
     "single- or dual-port NICs' (24.5 Gb/s of 40 by one TCP stream)",
     "Look for counted errors, a narrow PCIe slot, flow control, and the tuning profiles."},
    {"failover-failed",
     kError,
     kVerify,
     "A port of a bond was closed, as a pulled cable would, and frames did not go on within two "
     "seconds, or it could not be tried.",
     "linux Documentation/networking/bonding.rst, 7 (configuring bonding for maximum "
     "availability)",
     "Check `miimon`, and that the other end takes the ports for one group."},
    {"failover-one-sided",
     kWarning,
     kVerify,
     "A policy that spreads flows over the ports sent all of many flows by one of them.",
     "linux Documentation/networking/bonding.rst, xmit_hash_policy: layer2 sends all traffic to "
     "one peer by the same port",
     "Use `hash_policy: layer3+4` for few peers with many connections."},
    {"not-reachable",
     kError,
     kVerify,
     "A node of the document could not be asked, so nothing is known of its cables and paths.",
     "ARCHITECTURE.md, truth has layers: unknown never equals desired",
     "Bring the node back or correct its address; the message says at which stage it failed."},
    {"routing-fell-back",
     kError,
     kVerify,
     "The master did not route the subnet by the engine that the document wants: that one failed, "
     "and OpenSM went on with the next, at last with minhop, which may deadlock where the cabling "
     "has loops. An engine that stands later in the document's own list is a warning.",
     "OpenSM 3.3.23: `tables configured on all switches` in its log; ftree on a ring logs ERR AB2B "
     "and ends in minhop",
     "Mend the cabling or the roots that the engine needs, or write the engine that fits."},
    {"external-master-differs",
     kError,
     kVerify,
     "The document names the port GUID of the manager that is not ours, and the ports of the "
     "network "
     "hear another master: it gives out other partitions, and may go as it came.",
     "opensm(8); `sminfo` on the member ports",
     "Stop the other manager or start the document's; or write the port GUID of the one that is to "
     "stay."},
    {"routing-unknown",
     kWarning,
     kVerify,
     "The document wants a routing engine, the manager is master of a subnet with switches, and "
     "its "
     "log does not tell how it routed them: it was cut or is not there. That OpenSM was told an "
     "engine does not say that it could use it.",
     "OpenSM 3.3.23: `tables configured on all switches` in its log, after each routing",
     "See the log on the master's node; a heavy sweep (`kill -HUP`) writes the line anew."},
    {"sm-silent",
     kError,
     kVerify,
     "Nobody manages the subnet: its ports stay in INIT, have no LID, and IPoIB has no carrier. "
     "That a service runs proves nothing; `sminfo` was asked.",
     "InfiniBand Architecture 1.3, 14; Debian's opensm.service is active also when every opensm "
     "it started is dead",
     "Run `fabric plan`: it says which manager does not run. Its log is "
     "/var/log/opensm.fabric-NAME.log."},
    {"port-unmanaged",
     kError,
     kVerify,
     "An InfiniBand port has a link and stays in INIT: nobody has configured it, so it has no LID "
     "and carries nothing. Of a subnet whose manager is external this is all that tells.",
     "InfiniBand Architecture 1.3, 14: a port leaves INIT by its subnet's manager alone",
     "Run `fabric plan`: it says which manager does not run; or start the external one."},
    {"partition-not-programmed",
     kError,
     kVerify,
     "A port has not the P_Keys that the document's partitions give it. What stands in the "
     "manager's file is only a wish: for one mistake OpenSM drops the whole file, and a standby "
     "that took over may have another one. The port's own table is read.",
     "OpenSM 3.3.23, random partition files on ibsim; /sys/class/infiniband/*/ports/*/pkeys",
     "See who is master, and its log; `fabric plan` says whose file differs."},
    {"partition-surplus",
     kError,
     kVerify,
     "A port has a P_Key that the document's partitions do not give it, or a full one where it is "
     "a "
     "limited member: it reaches what the document keeps from it. A P_Key of no partition of the "
     "document is a warning.",
     "InfiniBand Architecture 1.3, 10.9; /sys/class/infiniband/*/ports/*/pkeys",
     "See who is master, and what it was started with; `fabric plan` says whose file differs."},
    {"partition-group-differs",
     kError,
     kVerify,
     "The multicast group that IPoIB of a partition joins has another MTU than the document says, "
     "or is not there: IPoIB can have no larger MTU than its group, and without one it has no "
     "carrier. The master was asked (saquery), on its own port; one that is external is not.",
     "RFC 4391, 5; OpenSM 3.3.23 makes a group once and keeps it, whatever its file says later",
     "Restart OpenSM on the managers, the master last, if `fabric plan` finds nothing to change."},
    {"stray-manager",
     kWarning,
     kVerify,
     "A subnet manager answers where the document places none (the master says so). One that "
     "stands "
     "by takes over when the others are gone, with defaults instead of these partitions. An error "
     "where it is the master.",
     "Debian's opensm starts on every InfiniBand port when it is installed; switches have managers",
     "Stop it there (systemctl disable --now opensm; on a managed switch: no ib sm), or place it."},
    {"interface-renamed",
     kError,
     kVerify,
     "An interface is not called what the document calls it, so that what configures it by that "
     "name does "
     "not find it. Names change with the link type, the slot and the kernel.",
     "systemd.net-naming-scheme(7): the first letters follow the type (en, ib), the rest slot or "
     "path",
     "Run `fabric plan`: it writes the name by the port's path, and a reboot makes it so."},
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
