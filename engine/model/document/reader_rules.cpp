// The rules of the reader: YAML text (engine/yaml), the shape (engine/schema), decoding (here).
#include "engine/model/document/load.hpp"

namespace fabric {

namespace {

constexpr RuleInfo kRules[] = {
    {"yaml-syntax",
     Severity::error,
     RuleStage::reader,
     "The text is not YAML 1.2, or uses a part of it (anchors, aliases, tags, merge keys, tabs, "
     "several documents) that makes a document mean something else than it shows.",
     "YAML 1.2.2",
     "Correct the text at the caret. Inside {} and [] a node set has to be quoted: "
     "\"pve[1-4]/1\"."},
    {"unknown-key",
     Severity::error,
     RuleStage::reader,
     "A key that nobody reads is a setting that silently does nothing.",
     "kubernetes-nmstate, whose desiredState is not checked until it is on the node",
     "Use the suggested key, or remove it. `fabric schema` prints all keys."},
    {"missing-key",
     Severity::error,
     RuleStage::reader,
     "A key without which the rest of the mapping has no meaning is not there.",
     "schemas/fabric.schema.json, `required`",
     "Add the key that the message names."},
    {"duplicate-key",
     Severity::error,
     RuleStage::reader,
     "The same key stands twice in one mapping, in one file or in two of a directory, or, of "
     "`sysctl`, in two spellings. Common YAML readers keep the last and drop the first without a "
     "word.",
     "YAML 1.2.2, 3.2.1.3",
     "Keep one of the two places that the message shows."},
    {"wrong-type",
     Severity::error,
     RuleStage::reader,
     "The value is of another kind than the key takes: text for a number, a list for a mapping.",
     "schemas/fabric.schema.json, `type`",
     "Write the kind of value that the message names."},
    {"out-of-range",
     Severity::error,
     RuleStage::reader,
     "The value is outside of what the key can hold, or is none of its choices.",
     "schemas/fabric.schema.json, `minimum`, `maximum`, `enum`, `pattern`; MTU: RFC 791 (68) and "
     "the mlx5 driver (9978)",
     "Choose a value from the range or list in the message."},
    {"ambiguous-scalar",
     Severity::error,
     RuleStage::reader,
     "YAML 1.1 and YAML 1.2 readers take this plain value for different things: `no` is false or "
     "text, `010` is 8 or 10, `11:22:33:44:55:55` is a number in base 60, `28.40` is the number "
     "28.4.",
     "YAML 1.1 type repository (bool, int, float); linux-system-roles README on quoting MAC "
     "addresses",
     "Put the value in quotes."},
    {"bad-node-set",
     Severity::error,
     RuleStage::reader,
     "A node set cannot be expanded, or stands beside one of another size: sets zip when they "
     "have one range each and equal counts.",
     "docs/document.md, `nodes`; ClusterShell node set notation",
     "Make the counts equal; write a transposed pattern with `for`."},
    {"node-unknown",
     Severity::error,
     RuleStage::reader,
     "A name is used that is no key of `nodes`.",
     "docs/document.md, `nodes`; NVIDIA developer forum, 'How to configure host chaining for "
     "ConnectX-5 VPI' (a ring works only if every node in it is configured)",
     "Correct the name or add the node."},
    {"port-unknown",
     Severity::error,
     RuleStage::reader,
     "An endpoint names an adapter or port that its node does not have, or does not say which of "
     "several adapters.",
     "docs/document.md, `networks.NETWORK.cables`",
     "Write node/adapter/port with an adapter and a port of the node."},
    {"profile-unknown",
     Severity::error,
     RuleStage::reader,
     "A node lists a profile that is no key of `profiles`, so part of what it should be is "
     "missing.",
     "docs/document.md, `profiles`",
     "Correct the name or add the profile."},
    {"model-unknown",
     Severity::error,
     RuleStage::reader,
     "Everything that is known of a card hangs on its model. A model that is not in the hardware "
     "table can't be judged or configured.",
     "docs/hardware.md",
     "Use one of the suggested slugs. The part number or `lspci` tells the model."},
};

}  // namespace

RuleRows reader_rules() {
  return kRules;
}

}  // namespace fabric
