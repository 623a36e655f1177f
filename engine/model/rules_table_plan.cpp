// The findings of plan time and of `verify`: what the document alone can't tell.
#include "engine/model/rules_detail.hpp"

namespace fabric::rules {

namespace {

constexpr Severity kError = Severity::error;
constexpr Severity kWarning = Severity::warning;

std::vector<RuleInfo> facts_rules() {
  constexpr RuleStage plan = RuleStage::plan;
  return {
      {"not-supported-yet",
       kError,
       plan,
       "The document is right, but no provider does this yet. It is refused by name, never "
       "half-applied.",
       "contract §1 (a key whose provider does not exist yet is refused at plan time by name)",
       "Remove the key for now, or set the node to `state: observe`."},
      {"firmware-too-old",
       kError,
       plan,
       "The card runs older firmware than `firmware.minimum`.",
       "facts.md §7c",
       "Update the firmware, or lower `minimum`."},
      {"pcie-bandwidth",
       kWarning,
       plan,
       "The PCIe link of the card is narrower or slower than its ports together: they can't all "
       "run at line rate.",
       "seed 002, PCI-Express tables; seed 000 (\"proper PCI bandwidth to support line rate\"); "
       "facts.md §7a",
       "Move the card to a wider slot, or know the limit."},
      {"adapter-missing",
       kError,
       plan,
       "No card on the node fits the adapter of the document.",
       "anchors-host.md R12 (unknown never equals desired)",
       "Correct model or selector, or look why the card is not there: lspci -d 15b3:"},
      {"interface-name-unknown",
       kError,
       plan,
       "The port has no network interface whose name could be found, so nothing can be configured "
       "on it.",
       "facts.md T8 (names can't be predicted: key on PCI address and port)",
       "Load the driver, and look at `ip link` on the node."},
      {"foreign-configuration",
       kError,
       plan,
       "Configuration of a member port that fabric did not write would fight with what it writes.",
       "anchors-host.md R13; seed 002 (two writers of one bond)",
       "Remove that configuration on the node."},
      {"node-unreachable",
       kWarning,
       plan,
       "The node did not answer, so nothing is known of it and nothing is planned for it.",
       "anchors-host.md R12",
       "See the reason in the message; exit code 4 says that the result is incomplete."},
      {"plan-cycle",
       kError,
       plan,
       "Things need each other in a circle, or nodes each other's reboot, so there is no order in "
       "which to make them.",
       "anchors-host.md R10 (a cycle is an error that names the cycle)",
       "Break the circle at one of the lines shown."},
      {"change-impossible",
       kError,
       plan,
       "The document asks for something that this card or node can't be made to do.",
       "facts.md §1f (what the tools refuse, and how they say it)",
       "The message says what stands in the way."},
      {"rollout-held-back",
       kWarning,
       plan,
       "Disturbing this node now would take more out of service than the rollout allows: nodes "
       "that "
       "can't be reached count as down, and a ring must not be cut twice.",
       "contract §5.4; anchors-iac.md §11.9 (ansible#56265: unreachable nodes were not counted)",
       "Bring the nodes back that are down, or raise `rollout.max_unavailable`."},
      {"identity-missing",
       kWarning,
       plan,
       "The node has no machine id, so apply can't tell whether it is still the machine that the "
       "plan was made for.",
       "anchors-iac.md §12.22 (a host is reinstalled or swapped between plan and apply)",
       "Make one: systemd-machine-id-setup, or dbus-uuidgen --ensure."},
  };
}

std::vector<RuleInfo> verify_rules() {
  constexpr RuleStage verify = RuleStage::verify;
  return {
      {"cable-missing",
       kError,
       verify,
       "A declared cable is not there: an end has no carrier or sees nobody.",
       "anchors-topology.md §4.3",
       "Plug the cable in, or correct the document."},
      {"cable-mis-wired",
       kError,
       verify,
       "An end of a declared cable sees another port than the declared one.",
       "anchors-topology.md §4.3, §3.6",
       "Move the cable, or correct the document; the message names both ports."},
      {"cable-one-sided",
       kError,
       verify,
       "One end of a declared cable has a carrier and the other has none. A chain then misroutes "
       "frames of some hosts, which is worse than no cable.",
       "seed 000 (a cable that is present on one side only)",
       "Look at both plugs; a transceiver or the cable is broken."},
      {"cable-degraded",
       kWarning,
       verify,
       "A declared cable runs slower than the document says.",
       "anchors-topology.md §4.3",
       "Look at the cable and the ports' settings, or correct `speed`."},
      {"cable-no-data",
       kWarning,
       verify,
       "Nothing on the nodes tells what is at the other end. That is not the same as right.",
       "anchors-topology.md §4.3 (never \"ok\" for \"no data\")",
       "Install a tool that tells (lldpd, infiniband-diags), or look at the cable."},
      {"not-reachable",
       kError,
       verify,
       "A node of the document could not be asked, so nothing is known of its cables and paths.",
       "contract §5.11 (unknown never equals desired)",
       "Bring the node back or correct its address; the message says at which stage it failed."},
      {"path-untested",
       kWarning,
       verify,
       "A ping could not be made, so whether frames pass is not known. BusyBox ping, for one, "
       "can't "
       "forbid fragmentation.",
       "facts.md §2a",
       "Install iputils-ping on the node."},
      {"transit-lost",
       kError,
       verify,
       "Neighbours reach each other and nodes further away do not: a card on the way does not "
       "forward.",
       "seed 000 (\"only pinging ports interconnected\")",
       "Look whether HOST_CHAINING_MODE is in effect on the node that the message names, and "
       "reboot it."},
      {"mtu-lost",
       kError,
       verify,
       "Small frames pass and full-size frames don't.",
       "seed 000 (8150 bytes on firmware 16.22.1002)",
       "Lower the MTU, or update the firmware on the way."},
      {"path-lost",
       kError,
       verify,
       "Two ports of one network do not reach each other at all.",
       "anchors-host.md R16 (probe the fabric address)",
       "See the findings about cables and links first."},
  };
}

}  // namespace

std::vector<RuleInfo> plan_rules() {
  std::vector<RuleInfo> rules = facts_rules();
  for (const RuleInfo& rule : verify_rules())
    rules.push_back(rule);
  return rules;
}

}  // namespace fabric::rules
