// SPDX-License-Identifier: Apache-2.0
// Many names as one short text, the way the document writes them: "pve[1-4],spare".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/node_name.hpp"

namespace fabric {

// Sorted and folded over the last number of each name; names without a number stay as they are.
// Reading it as a node set gives the same names.
std::string fold(std::vector<std::string> names);
std::string fold(const std::vector<NodeName>& names);

// The one node set that has just these members in this order, with as many brackets as it takes:
// "r[1-2]n[1-16]". Nullopt if there is none; one name is the set of itself.
std::optional<std::string> fold_as_set(const std::vector<std::string>& names);

// A name as texts and numbers in turn; texts stand at even places. The parts refer to `name`.
std::vector<std::string_view> texts_and_numbers(std::string_view name);

// As people order names: n2 before n10.
bool natural_less(std::string_view a, std::string_view b);
// Two names that differ in one number at most, and where: the set of both has one bracket.
// Nullopt: they differ otherwise, not at all, or in a number that is longer than a set takes.
std::optional<std::size_t> one_number_apart(std::string_view a, std::string_view b);

}  // namespace fabric
