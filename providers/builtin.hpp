// SPDX-License-Identifier: Apache-2.0
// The platforms that fabric ships and their providers, by name.
#pragma once

#include <optional>

#include "engine/model/rule.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/registry.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers {

void add_builtin_providers(Registry& registry);

// The facts of a node that can be written into a document; nullopt: its platform does not read any.
// REQUIRES: facts.reachable().
std::optional<SeenNode> see_node(const NodeFacts& facts);
// The platform that a node asked as a Linux host seems to have; kUsualPlatform where no fact speaks
// against it, although a Linux host without a card may be a switch.
Platform shown_platform(const NodeFacts& facts);
// True if the node answered its platform's own questions as a node of this platform does.
bool is_of_its_platform(const NodeFacts& facts);
// The host name that a reached node tells, without its domain; or else the name by which it was
// asked.
std::string own_name(const NodeFacts& facts);

// The rules whose findings these providers report, in the order of the folders that report them.
RuleRows provider_rules();

}  // namespace fabric::providers
