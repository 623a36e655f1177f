// The rules about adapters: link types, firmware parameters, SR-IOV, identity.
#include "engine/model/rules_detail.hpp"

namespace fabric::rules {

std::vector<RuleInfo> adapter_rules() {
  constexpr Severity error = Severity::error;
  constexpr Severity warning = Severity::warning;
  constexpr RuleStage document = RuleStage::document;
  return {
      {"link-type-unsupported",
       error,
       document,
       "EN cards have no InfiniBand and no LINK_TYPE parameter, IB-only cards no Ethernet.",
       "facts.md T5 and §7a; seed 002 (\"If you do not have a VPI NIC, you probably cannot\")",
       "Use a VPI card, or the mode that the card can run."},
      {"port-types-order",
       error,
       document,
       "Port 1 Ethernet with port 2 InfiniBand is not allowed on mlx4 cards and on ESX; the driver "
       "silently starts "
       "something else.",
       "seed 001 §4.2.3 (\"The configuration of port 1 ETH and port 2 IB is not allowed\"); "
       "facts.md §1f",
       "Swap the two ports: port 1 InfiniBand, port 2 Ethernet."},
      {"firmware-param-conflict",
       error,
       document,
       "A parameter that a mode or another key decides is set a second time under "
       "`firmware.params` or `modules`.",
       "facts.md §1d; contract §3",
       "Remove the parameter: the network's mode sets it."},
      {"firmware-version-conflict",
       error,
       document,
       "`version` is older than `minimum`, or is of another chip: the first number of a firmware "
       "version tells the family.",
       "facts.md §7a (FW major and chip)",
       "Correct one of the two."},
      {"sriov-vfs-reserve",
       error,
       document,
       "NUM_OF_VFS must be at least one more than the virtual functions in use; one is reserved "
       "for the physical function.",
       "seed 003 §3.1 (\"at least one larger than the sum of VFs created by max_vfs\")",
       "Raise NUM_OF_VFS, or leave it out: `sriov.vfs` sets it."},
      {"sriov-vfs-limit",
       error,
       document,
       "The card or its driver has fewer virtual functions than are asked for.",
       "schemas/hardware.json; facts.md §6c (max_vfs 0 to 128)",
       "Lower `sriov.vfs`."},
      {"adapter-selector-invalid",
       error,
       document,
       "A selector is not of its form, so it would match nothing.",
       "anchors-topology.md §4.2 (normalised port identity)",
       "Write pci as \"0000:5e:00.0\", a GUID as \"0x0002c903000e0b72\", a MAC address as "
       "\"24:8a:07:11:22:33\"."},
      {"adapter-selector-reused",
       error,
       document,
       "Two adapters of the document are selected by one identity, so one card would be configured "
       "twice.",
       "anchors-host.md R5 (duplicates are an error)",
       "Correct one of the two."},
      {"adapter-ambiguous",
       warning,
       document,
       "A node has several cards of one family and this adapter does not say which it is. What "
       "can't be told apart on the "
       "node is an error at plan time, which lists the candidates.",
       "anchors-host.md R5 (identity by GUID, MAC or PCI address, never by interface name)",
       "Add pci, node_guid, mac or serial."},
      {"interface-name-reused",
       error,
       document,
       "Two ports of one node ask for one interface name.",
       "systemd.link(5), Name=; seed 002 (persistent names)",
       "Give each port its own name."},
  };
}

}  // namespace fabric::rules
