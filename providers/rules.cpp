// SPDX-License-Identifier: Apache-2.0
#include "providers/builtin.hpp"

namespace fabric::providers {

namespace {

constexpr RuleInfo kProviderRules[] = {
    // adapter/
    {"adapter-missing",
     Severity::error,
     RuleStage::plan,
     "No card on the node matches the adapter of the document.",
     "E-unknown: docs/decisions/002-truth-has-layers.md",
     "Correct `model` or the selector, or find out why the card is missing: lspci -d 15b3:"},
    {"adapter-second-port",
     Severity::error,
     RuleStage::plan,
     "The selector of an adapter names the second port of its card. An adapter is the whole card, "
     "so the settings of its port 1 in the document would go to the first port of the card and not "
     "to the port that the selector names.",
     "E-linux-sysfs: Documentation/ABI/testing/sysfs-bus-pci; E-grammar: docs/document.md",
     "Select the card by its first port, and cable port 2."},
    {"interface-ambiguous",
     Severity::error,
     RuleStage::plan,
     "Several interfaces stand behind one port of a card, and neither phys_port_name nor dev_port "
     "shows which of them is the port. The first by name may be a representor of a virtual "
     "function.",
     "E-switchdev: Documentation/networking/switchdev.rst; Documentation/networking/"
     "representors.rst",
     "Remove the others, or update the kernel, so that phys_port_name shows the port."},
    // firmware/; a missing image is found where the plan is made
    {"firmware-psid-mismatch",
     Severity::error,
     RuleStage::plan,
     "The card has another PSID than `firmware.psid`: it is another board, or one that another "
     "maker sells. An image of another PSID can make a card useless; fabric never changes a "
     "PSID.",
     "E-flint: Mellanox/mstflint, flint",
     "Take the image that was made for the PSID of the card, from the seller of the card."},
    {"firmware-downgrade",
     Severity::warning,
     RuleStage::plan,
     "The version to burn is older than the version in the card's flash. It is burned, because the "
     "document asks for exactly that version.",
     "E-flint: Mellanox/mstflint, flint; E-firmware-notes: NVIDIA firmware release notes per "
     "adapter",
     "Correct `firmware.version` and `image` if that was not meant."},
    {"firmware-image-missing",
     Severity::error,
     RuleStage::plan,
     "The file of `firmware.image` can't be read on the machine that fabric runs on. The path "
     "is relative to the folder of the document.",
     "E-grammar: docs/document.md",
     "Put the image there, or correct the path."},
    // os/, software/
    {"os-mismatch",
     Severity::error,
     RuleStage::plan,
     "The node runs another release, or an older kernel, than `os` asks for.",
     "E-grammar: docs/document.md; E-roce-lag-versions: Mellanox, 'HowTo Configure RoCE over "
     "LAG (ConnectX-4)', setup",
     "Update the node, or correct `os`."},
    {"switch-not-saved",
     Severity::warning,
     RuleStage::plan,
     "The lines that a switch runs differ from the lines that it has saved, and the document has "
     "none of them: the next boot of the switch undoes what an operator has typed.",
     "E-onyx-configuration: napalm-onyx, its test data",
     "Save the lines at the switch (`configuration write`), or remove them there."},
    {"software-mismatch",
     Severity::error,
     RuleStage::plan,
     "The RDMA drivers of the node are of another stack or older than `software` asks for, or "
     "of two stacks at once.",
     "E-linux-stacks: ofed_info(1); E-roce-lag-versions: Mellanox, 'HowTo Configure RoCE over "
     "LAG (ConnectX-4)', setup",
     "Install that stack, or correct `software`."},
    // link_name/
    {"interface-name-taken",
     Severity::error,
     RuleStage::plan,
     "A port of the document is to have the name that another interface of the node has, for "
     "example the interface of the management network. Only one of them gets it, and the other one "
     "is left without its configuration by the next boot.",
     "E-linux-names: systemd.net-naming-scheme(7); systemd.link(5)",
     "Choose a name that no interface of the node has: `ip link` lists them."},
    // module/
    {"module-missing",
     Severity::error,
     RuleStage::plan,
     "`modules` names a module that the ESXi host does not have. A module that is not there can't "
     "be loaded and takes no options.",
     "E-esxi-module-options: esxcli system module list",
     "Correct the name, or put the package of the module into the host's image."},
    // vswitch/
    {"virtual-switch-unfit",
     Severity::error,
     RuleStage::plan,
     "A network gives its MTU to a virtual switch that the host does not have, or that has no port "
     "of the network as an uplink, for example the virtual switch of the management.",
     "E-esxi-vswitch-list: esxcli network vswitch standard list",
     "Name the virtual switch that has the ports of the network as uplinks."},
    // interface/
    {"interface-name-unknown",
     Severity::error,
     RuleStage::plan,
     "The name of the port's network interface is not known yet, and the program that configures "
     "the network goes by names. A port that becomes Ethernet or InfiniBand with the next boot is "
     "given a name by a file of udev's, \"encx5p1\" for port 1 of adapter cx5, where that fits and "
     "is free. This port could not be given a name.",
     "E-linux-names: systemd.net-naming-scheme(7); systemd.link(5)",
     "Name it at the adapter: `cx5: {names: {1: ceph0, 2: ceph1}}`. If the port is of the right "
     "type already, its driver is not loaded: look at `ip link` on the node."},
    {"network-backend-unknown",
     Severity::error,
     RuleStage::plan,
     "Nothing on the node shows which program configures its network at boot: none of ifupdown, "
     "ifcfg files, NetworkManager, netplan and systemd-networkd is at work there. Perhaps no "
     "program would read the files that fabric writes for one of them.",
     "E-linux-two-configurations: 40G how-to; E-grammar: docs/document.md",
     "Name the program in `network_backend` of the node, or install one of them."},
    {"network-backend-missing",
     Severity::error,
     RuleStage::plan,
     "The document names the program that configures the network of the node, and that program is "
     "not at work there. No program would read the files that fabric writes for it.",
     "E-linux-two-configurations: 40G how-to; E-grammar: docs/document.md",
     "Write the program at work into `network_backend`, or leave the key out; or install the named "
     "program on the node first, and start it."},
    {"package-missing",
     Severity::error,
     RuleStage::plan,
     "A program that the work needs is not installed on the node, and the document does not ask "
     "for its package: mstconfig or mlxconfig for firmware parameters, ifenslave for a bond by "
     "ifupdown, opensm for a subnet manager on a node that is only observed. Values that can't be "
     "read are unknown, and a part of the fabric would be changed without the rest.",
     "E-linux-packages: package lists of Debian 12 and RHEL 9; E-opensm-debian: Debian 12, "
     "opensm.service and /etc/default/opensm",
     "List the package in `packages` of the node, or install it. A plan that installs a package "
     "which is needed to read a node does nothing else: the other changes are in a second plan, "
     "which `apply` makes by itself."},
    {"second-default-route",
     Severity::warning,
     RuleStage::plan,
     "The node has a default route by an interface that fabric does not configure, and the "
     "document adds another one. Replies to other networks take one of the two, by metric or by "
     "order, and the next boot can change which. ifupdown does not bring up the interface.",
     "E-linux-default-routes: measured on Debian 12",
     "Name the networks that are reached over that gateway in `routes`, or remove the other "
     "default route."},
    {"bond-not-aggregated",
     Severity::warning,
     RuleStage::plan,
     "A bond is up but does not do what its mode promises: a slave is down, or LACP has found "
     "no partner. Pings pass over the remaining port, so the fault stays hidden.",
     "E-bonding-state: Linux, Documentation/networking/bonding.rst, 802.3ad",
     "Look at the cable, and at the other end's LACP or channel group."},
    {"switch-port-missing",
     Severity::error,
     RuleStage::plan,
     "The document names a port that the switch does not have: it has fewer ports, or the port is "
     "whole there and named by a part, or the other way round.",
     "E-nvue-json; E-onyx-interfaces",
     "Name a port that the switch has, or split the port there first."},
    {"untagged-vlans-differ",
     Severity::error,
     RuleStage::plan,
     "Ports of one network at one switch put frames without a tag into different VLANs. Each port "
     "is in the bridge, and the hosts behind them do not reach each other.",
     "E-nvue-port-vlans; E-onyx-vlans",
     "Put the ports into one VLAN at the switch, or make two networks of them."},
    // settings/
    {"chain-link-held",
     Severity::warning,
     RuleStage::plan,
     "A card of a chain keeps its link while its host boots or is off (KEEP_LINK_UP_ON_BOOT, "
     "KEEP_LINK_UP_ON_STANDBY). It forwards nothing then. Its neighbours see a carrier and go on "
     "sending to it, so their traffic does not move to the other port and is lost.",
     "E-chain-held-link; E-chain-host-down",
     "Set both to 0 under `firmware.params` of the card."},
    {"settings-stay",
     Severity::warning,
     RuleStage::plan,
     "Firmware settings that fabric has set stay on the card, though the document no longer asks "
     "for them: a card that goes on chaining, or a port that stays Ethernet, surprises the next "
     "owner of the machine. The node keeps the former values (/var/lib/fabric/settings).",
     "E-mlxconfig-layers: Mellanox/mstflint, mlxconfig; E-grammar: docs/document.md",
     "`restore: true` at the node, or at a network before it is removed, gives them back at the "
     "next boot. Settings in `firmware.params` stay."},
    // interface/, module/, settings/, subnet_manager/, sysctl/
    {"foreign-configuration",
     Severity::error,
     RuleStage::plan,
     "The node has configuration of a member port that fabric did not write. It contradicts "
     "what fabric would write.",
     "E-linux-two-configurations: how-to 'Using 40G Mellanox Infiniband single- or dual-port "
     "NICs'",
     "Remove that configuration on the node, or set `adopt: true` to take it over."},
    {"transit-backend-unsupported",
     Severity::error,
     RuleStage::plan,
     "Hosts that forward need a rule for incoming packets of a port, and routes of that rule's "
     "table. netplan has no key for such a rule, and fabric writes none for NetworkManager and the "
     "network scripts.",
     "E-transit-rule: ip-rule(8); systemd.network(5), [RoutingPolicyRule]; netplan.io/reference, "
     "routing-policy",
     "Let networkd, ifupdown or ifupdown2 configure these interfaces."},
    {"transit-filtered",
     Severity::warning,
     RuleStage::plan,
     "A host is to forward between its ports, and a firewall or a runtime of containers drops "
     "forwarded packets: Docker sets the policy of the chain FORWARD to drop. The cables work, and "
     "hosts that are not neighbours don't reach each other. Rules that ask for more than "
     "interfaces and the state of the connection are not judged.",
     "E-nft-ruleset: libnftables-json(5); nft(8); Docker, Packet filtering and firewalls",
     "Accept these packets in that chain, or where its owner keeps such rules (DOCKER-USER, ufw "
     "route, zones of firewalld)."},
    // subnet_manager/
    {"sm-foreign-master",
     Severity::error,
     RuleStage::plan,
     "The subnet has a master that the document does not know. A second manager would take the "
     "subnet over, or would wait until the master is gone. In both cases it would set other "
     "partitions. The plan stops before anything is written.",
     "E-ib-master: InfiniBand Architecture 1.3, 14.4; E-opensm-groups: OpenSM 3.3.23, measured",
     "Write `subnet_manager: {external: true}` if it is to stay, else stop it first."},
    {"sm-virtualization-unsupported",
     Severity::error,
     RuleStage::plan,
     "The document asks for virtualization support, and the OpenSM of the node has none. OpenSM "
     "ignores an option that it does not know, and virtual functions stay down. OpenSM of "
     "MLNX_OFED and DOCA has the option `virt_enabled`; OpenSM of distributions does not.",
     "E-opensm-virtualization: linux-rdma/opensm, opensm/osm_subnet.c; measured with OpenSM 3.3.23",
     "Install the OpenSM of MLNX_OFED or DOCA on the node, or let a switch manage the subnet."},
    {"sm-option-unfit",
     Severity::error,
     RuleStage::plan,
     "OpenSM skips an option that it does not know, and takes a value of another kind for its "
     "default: `true` in place of TRUE is FALSE. The set of options differs between OpenSM of "
     "distributions, of MLNX_OFED and of DOCA.",
     "E-opensm-options: opensm 3.3.23, `opensm -c`; linux-rdma/opensm, opensm/osm_subnet.c",
     "Write the option as the OpenSM of the node has it, or leave it out."},
    {"sm-ndr-unsupported",
     Severity::error,
     RuleStage::plan,
     "A network has cards of the NDR generation, and the OpenSM that is to manage it is that of a "
     "distribution. With it MPI and IPoIB packets beyond some 400 bytes fail on NDR links, which "
     "work with the OpenSM of MLNX_OFED and DOCA. Where no cable has a `speed`, the finding is a "
     "warning.",
     "E-opensm-ndr: linux-rdma/opensm, issue 38",
     "Install the OpenSM of MLNX_OFED or DOCA on the node, let a switch manage the subnet, or "
     "declare the slower speed."},
    {"member-guid-unknown",
     Severity::warning,
     RuleStage::plan,
     "OpenSM names the members of a partition by their port GUIDs. They are read from the node "
     "itself; where that can't be read, they are taken from `port_guid` of the document, from the "
     "subnet, where the card has a link and calls itself as its node does, or from what the "
     "managers have noted in their files. A member whose port GUID is not known has no partition "
     "until its node is read. All others keep theirs.",
     "E-opensm-partitions: OpenSM, doc/partition-config.txt",
     "Plan again when the node can be read, or write `port_guid` at its adapter."},
    {"sm-stray",
     Severity::warning,
     RuleStage::plan,
     "A node of the document manages the subnet, and the document places no manager there. Its "
     "priority is lower, so the document's manager takes over. The stray manager then stands "
     "by, and it sets its own partitions when it becomes master again.",
     "E-ib-master: InfiniBand Architecture 1.3, 14.4; E-opensm-debian: Debian 12, "
     "opensm.service and /etc/default/opensm",
     "Stop the stray manager (`systemctl disable --now opensm`), or place a manager there."},
};

}  // namespace

RuleRows provider_rules() {
  return kProviderRules;
}

}  // namespace fabric::providers
