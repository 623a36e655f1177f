// The rules about adapters: link types, firmware parameters, SR-IOV, identity.
#include <iterator>

#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr Severity kError = Severity::error;
constexpr Severity kWarning = Severity::warning;
constexpr RuleStage kDocument = RuleStage::document;

constexpr RuleInfo kRules[] = {
    {"link-type-unsupported",
     kError,
     kDocument,
     "EN cards have no InfiniBand and no LINK_TYPE parameter, IB-only cards no Ethernet.",
     "how-to 'Using 40G Mellanox Infiniband single- or dual-port NICs' (\"If you do not have a "
     "VPI NIC, you probably cannot\"); mstflint's parameter table, LINK_TYPE",
     "Use a VPI card, or the mode that the card can run."},
    {"port-types-order",
     kError,
     kDocument,
     "Port 1 Ethernet with port 2 InfiniBand is not allowed on mlx4 cards and on ESX; the driver "
     "silently starts something else.",
     "Mellanox InfiniBand OFED for VI 3.5 and vSphere 4.0, installation guide rev. 1.30, 4.2.3 "
     "(\"The configuration of port 1 ETH and port 2 IB is not allowed\"); rdma-core, "
     "redhat/rdma.mlx4-setup.sh",
     "Swap the two ports: port 1 InfiniBand, port 2 Ethernet."},
    {"firmware-param-conflict",
     kError,
     kDocument,
     "A parameter that a mode or another key decides is set a second time under "
     "`firmware.params` or `modules`.",
     "docs/document.md, `nodes.NODE.adapters.ADAPTER.firmware.params`; mstflint's parameter "
     "table",
     "Remove the parameter: the network's mode sets it."},
    {"firmware-version-conflict",
     kError,
     kDocument,
     "`version` is older than `minimum`, or is of another chip: the first number of a firmware "
     "version tells the family.",
     "docs/hardware.md, firmware; NVIDIA firmware release notes per adapter",
     "Correct one of the two."},
    {"sriov-vfs-reserve",
     kError,
     kDocument,
     "NUM_OF_VFS must be at least one more than the virtual functions in use; one is reserved "
     "for the physical function.",
     "VMware, 'InfiniBand Configuration on VMware vSphere 8', 3.1 (\"at least one larger than "
     "the sum of VFs created by max_vfs\")",
     "Raise NUM_OF_VFS, or leave it out: `sriov.vfs` sets it."},
    {"sriov-vfs-limit",
     kError,
     kDocument,
     "The card or its driver has fewer virtual functions than are asked for.",
     "docs/hardware.md; on ESXi the parameter max_vfs of nmlx5_core (0 to 128 a port)",
     "Lower `sriov.vfs`."},
    {"adapter-selector-invalid",
     kError,
     kDocument,
     "A selector is not of its form, so it would match nothing.",
     "docs/document.md, `nodes.NODE.adapters.ADAPTER`; ibnetdiscover(8) and sysfs for how GUIDs "
     "are written",
     "Write pci as \"0000:5e:00.0\", a GUID as \"0x0002c903000e0b72\", a MAC address as "
     "\"24:8a:07:11:22:33\"."},
    {"adapter-selector-reused",
     kError,
     kDocument,
     "Two adapters of the document are selected by one identity, so one card would be configured "
     "twice.",
     "Mellanox/nic-configuration-operator issue 496 (serial numbers are not unique)",
     "Correct one of the two."},
    {"switch-guid-invalid",
     kError,
     kDocument,
     "The GUID of a switch is not of its form, so the switch would never be found in the subnet, "
     "and "
     "a file of routing roots with it would be none.",
     "docs/document.md, `nodes.NODE.node_guid`; ibnetdiscover(8) for how GUIDs are written",
     "Write it as \"0x0002c902004048a8\"."},
    {"switch-guid-reused",
     kError,
     kDocument,
     "Two switches of the document have one node GUID. In a subnet every device has its own.",
     "InfiniBand Architecture 1.3, 4.1.1 (EUI-64)",
     "Correct one of the two; in a node set the GUID zips with the names."},
    {"adapter-ambiguous",
     kWarning,
     kDocument,
     "A node has several cards of one family and this adapter does not say which it is. What "
     "can't be told apart on the node is an error at plan time, which lists the candidates.",
     "nmstate issues 2380 and 2710 (interface names move; identity has to be GUID, MAC or PCI "
     "address)",
     "Add pci, node_guid, mac or serial."},
    {"interface-name-reused",
     kError,
     kDocument,
     "Two ports of one node ask for one interface name.",
     "systemd.link(5), Name=",
     "Give each port its own name."},
};

}  // namespace

std::vector<RuleInfo> adapter_rules() {
  return {std::begin(kRules), std::end(kRules)};
}

}  // namespace fabric::rules
