// SPDX-License-Identifier: Apache-2.0
// The platforms that fabric ships and their providers, by name.
#pragma once

#include <optional>

#include "engine/platform/facts.hpp"
#include "engine/provider/registry.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers {

void add_builtin_providers(Registry& registry);

// Facts of a node that a document can have; nullopt: not read on its platform. REQUIRES:
// facts.reachable().
std::optional<SeenNode> see_node(const NodeFacts& facts);
// The platform that a node which was asked as a Linux host seems to have; kUsualPlatform where
// nothing speaks against it. One without a card may be a switch, as a Linux that says no more.
Platform shown_platform(const NodeFacts& facts);
// Whether the answers to that platform's own questions are those of one.
bool is_of_its_platform(const NodeFacts& facts);
// What a node that was reached calls itself, without its domain; the name by which it was asked
// where it tells none.
std::string own_name(const NodeFacts& facts);

}  // namespace fabric::providers
