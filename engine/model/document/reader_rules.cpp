// SPDX-License-Identifier: Apache-2.0
// The rules of the reader: YAML text (engine/yaml), the shape (engine/schema), decoding (here).
#include "engine/model/document/load.hpp"

namespace fabric {

namespace {

constexpr RuleInfo kReaderRules[] = {
    {"yaml-syntax",
     Severity::error,
     RuleStage::reader,
     "The text is not YAML 1.2, or uses a part of YAML that fabric refuses: anchors, aliases, "
     "tags, merge keys, tabs, several documents in one file. Those make a document mean "
     "something else than it shows.",
     "E-yaml: YAML 1.2.2",
     "Correct the text at the caret. Inside {} and [] a node set has to be quoted: "
     "\"pve[1-4]/1\"."},
    {"unknown-key",
     Severity::error,
     RuleStage::reader,
     "An unknown key would be ignored, and the setting that its author meant would do nothing.",
     "E-unchecked-keys: kubernetes-nmstate, desiredState",
     "Use the suggested key, or remove it. `fabric schema` prints all keys."},
    {"missing-key",
     Severity::error,
     RuleStage::reader,
     "A required key is missing, so the rest of the mapping has no meaning.",
     "E-grammar: docs/document.md",
     "Add the key that the message names."},
    {"subnet-too-small",
     Severity::error,
     RuleStage::reader,
     "A subnet has not enough addresses for the cables or loopbacks that are to be counted in it.",
     "E-cable-subnet: RFC 3021",
     "Widen the subnet."},
    {"duplicate-key",
     Severity::error,
     RuleStage::reader,
     "The same key stands twice in one mapping, in one file or in two of a directory, or, of "
     "`sysctl`, in two spellings. Common YAML readers keep the last and drop the first without "
     "a word.",
     "E-yaml: YAML 1.2.2",
     "Keep one of the two places that the message shows."},
    {"wrong-type",
     Severity::error,
     RuleStage::reader,
     "The value is of another kind than the key takes: text for a number, a list for a mapping.",
     "E-grammar: docs/document.md",
     "Write the kind of value that the message names."},
    {"out-of-range",
     Severity::error,
     RuleStage::reader,
     "The value is outside of the range of the key, or is none of its choices.",
     "E-grammar: docs/document.md; E-ip-mtu: RFC 791; Linux, mlx5 driver",
     "Choose a value from the range or list in the message."},
    {"ambiguous-scalar",
     Severity::error,
     RuleStage::reader,
     "YAML 1.1 and YAML 1.2 readers take this plain value for different things: `no` is false "
     "or text, `010` is 8 or 10, `11:22:33:44:55:55` is a number in base 60, `28.40` is the "
     "number 28.4.",
     "E-yaml-scalars: YAML 1.1 type repository; linux-system-roles, README",
     "Put the value in quotes."},
    {"bad-node-set",
     Severity::error,
     RuleStage::reader,
     "A node set cannot be expanded, or is used with one of another size: sets zip member by "
     "member when they have equal counts, whatever their brackets.",
     "E-grammar: docs/document.md; E-node-sets: ClusterShell, node sets",
     "Make the counts equal; write a transposed pattern with `for`."},
    {"node-unknown",
     Severity::error,
     RuleStage::reader,
     "A name is used that is not a key of `nodes`.",
     "E-grammar: docs/document.md",
     "Correct the name or add the node."},
    {"isolated-unknown",
     Severity::error,
     RuleStage::reader,
     "`isolated` names something that the document does not have, so its isolation is not checked.",
     "E-grammar: docs/document.md",
     "Write a node or node set, LABEL=VALUE, a network, or NETWORK/NAME of a VLAN or partition."},
    {"port-unknown",
     Severity::error,
     RuleStage::reader,
     "An endpoint names an adapter or port that its node does not have, or leaves open which of "
     "several adapters is meant.",
     "E-grammar: docs/document.md",
     "Write node/adapter/port with an adapter and a port of the node."},
    {"profile-unknown",
     Severity::error,
     RuleStage::reader,
     "A node lists a profile that is no key of `profiles`, so a part of its configuration is "
     "missing.",
     "E-grammar: docs/document.md",
     "Correct the name or add the profile."},
    {"model-unknown",
     Severity::error,
     RuleStage::reader,
     "What a card can do follows from its model. A model that is not in the hardware table "
     "can't be judged or configured. Of a switch, whose ports are then not judged, it is a warning "
     "where the model is a misprint of a known one.",
     "E-hardware-table: docs/hardware.md",
     "Use one of the suggested slugs. The part number or `lspci` shows the model."},
};

}  // namespace

RuleRows reader_rules() {
  return kReaderRules;
}

}  // namespace fabric
