#include "providers/linux/rules.hpp"

namespace fabric::providers {

namespace {

constexpr RuleInfo kRules[] = {
    // adapter/
    {"adapter-missing",
     Severity::error,
     RuleStage::plan,
     "No card on the node fits the adapter of the document.",
     "ARCHITECTURE.md, truth has layers: unknown never equals desired",
     "Correct model or selector, or look why the card is not there: lspci -d 15b3:"},
    // firmware/; whether the image is there is looked at where the plan is made
    {"firmware-psid-mismatch",
     Severity::error,
     RuleStage::plan,
     "The card has another PSID than `firmware.psid`: it is another board, or one that another "
     "maker sells. An image of another PSID can make a card useless; fabric never changes a PSID.",
     "mstflint, 'PSID mismatch. The PSID on flash (...) differs from the PSID in the given image'; "
     "PSIDs of NVIDIA's own boards begin with MT_",
     "Take the image that was made for the PSID of the card, from whoever sells the card."},
    {"firmware-downgrade",
     Severity::warning,
     RuleStage::plan,
     "The version to burn is older than what the flash of the card has. It is burned, because the "
     "document asks for exactly that version.",
     "mstflint asks before it burns an older version ('The new FW version is older than the "
     "current "
     "FW version on flash'), and fabric answers yes; NVIDIA firmware release notes per adapter "
     "tell "
     "which versions may follow each other",
     "Correct `firmware.version` and `image` if that was not meant."},
    {"firmware-image-missing",
     Severity::error,
     RuleStage::plan,
     "The file of `firmware.image` can't be read on the machine that fabric runs on. The path is "
     "relative to the folder of the document.",
     "docs/document.md, `nodes.NODE.adapters.ADAPTER.firmware.image`",
     "Put the image there, or correct the path."},
    // os/, software/
    {"os-mismatch",
     Severity::error,
     RuleStage::plan,
     "The node runs another release, or an older kernel, than `os` asks for.",
     "the document's own `os`; Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)' (kernel 4.9 "
     "or later)",
     "Update the node, or correct `os`."},
    {"software-mismatch",
     Severity::error,
     RuleStage::plan,
     "The RDMA drivers of the node are of another stack or older than `software` asks for, or of "
     "two stacks at once.",
     "ofed_info(1); Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)' (MLNX_OFED 4.0 or "
     "later); two stacks bring the same modules and libraries",
     "Install that stack, or correct `software`."},
    // interface/
    {"interface-name-unknown",
     Severity::error,
     RuleStage::plan,
     "The port has no network interface whose name could be found, so nothing can be configured "
     "on it.",
     "systemd.net-naming-scheme(7); rdma-core, rdma_rename: names follow the slot and the link "
     "type",
     "Load the driver, and look at `ip link` on the node."},
    {"second-default-route",
     Severity::warning,
     RuleStage::plan,
     "The node has a default route by an interface that fabric does not configure, and the "
     "document gives it another. One of them decides where the answers to everybody elsewhere go: "
     "by metric, by order, or after the next boot by chance. ifupdown does not bring the interface "
     "up.",
     "seen on Debian 12: ifupdown 0.8.41 'RTNETLINK answers: File exists', systemd-networkd 252 "
     "and netplan leave two of one metric, NetworkManager 1.42 gives the later one a higher metric",
     "Name what is reached over that gateway in `routes`, or remove the other default route."},
    {"bond-not-aggregated",
     Severity::warning,
     RuleStage::plan,
     "A bond is up but does not do what its mode promises: a slave is down, or LACP has found no "
     "partner. Pings pass over the one port that is left, so nobody notices.",
     "Linux Documentation/networking/bonding.rst, 802.3ad; /proc/net/bonding shows aggregator "
     "ids "
     "and the partner's MAC",
     "Look at the cable, and at the other end's LACP or channel group."},
    // interface/, module/, settings/, subnet_manager/, sysctl/
    {"foreign-configuration",
     Severity::error,
     RuleStage::plan,
     "Configuration of a member port that fabric did not write would fight with what it writes.",
     "how-to 'Using 40G Mellanox Infiniband single- or dual-port NICs' (slaves and master of one "
     "bond contradict each other, the last writer wins)",
     "Remove that configuration on the node."},
    // subnet_manager/
    {"sm-foreign-master",
     Severity::error,
     RuleStage::plan,
     "The subnet has a master that the document does not know. A second one beside it takes the "
     "subnet over or waits for its end, and hands out other partitions either way: it is found "
     "before anything is written.",
     "InfiniBand Architecture 1.3, 14.4 (one master, the others stand by); OpenSM 3.3.23, where "
     "the "
     "new master makes every group anew from its own file",
     "Write `subnet_manager: {external: true}` if it is to stay, else stop it first."},
    {"sm-stray",
     Severity::warning,
     RuleStage::plan,
     "The subnet is managed from a node of the document where it places no manager, with a lower "
     "priority than the document's. The document's manager takes over, and the other one stands "
     "by: when it gets its turn again, it hands out its own partitions.",
     "InfiniBand Architecture 1.3, 14.4 (the higher priority becomes master); Debian starts "
     "opensm.service when its package is installed",
     "Stop it there (`systemctl disable --now opensm`), or place a manager there."},
};

}  // namespace

RuleRows linux_rules() {
  return kRules;
}

}  // namespace fabric::providers
