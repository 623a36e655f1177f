// SPDX-License-Identifier: Apache-2.0
// What is asked for, is no resource, and nothing does yet. The list to shorten when that changes.
#pragma once

#include "engine/base/diagnostic.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

RuleRows refused_rules();  // not-supported-yet, virtual-switch-by-hand

// An error `not-supported-yet` at every such key of a managed node. Nodes in state observe are
// never written, so they are never refused.
void refuse_unsupported(const FabricSpec& spec, Diagnostics& diagnostics);

// Managed, and of a kind that nothing writes yet.
bool is_unsupported(const FabricSpec& spec, const NodeSpec& node);

// The one wording of the rule. `written` is the key or mode as its author wrote it. No node is
// named, on purpose: a key that a profile gives to a thousand nodes is one finding at one place.
void refuse(SourceRange range, std::string_view written, Diagnostics& diagnostics);

}  // namespace fabric
