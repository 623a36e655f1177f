// SPDX-License-Identifier: Apache-2.0
// Many names as one short text, in the document's notation: "pve[1-4],spare".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/node_name.hpp"

namespace fabric {

// Sorts names and folds them over the last number of each; names without a number stay as they are.
// The text, read as a node set, gives the same names.
std::string fold(std::vector<std::string> names);
std::string fold(const std::vector<NodeName>& names);

// The node set with exactly these members in this order, with as many brackets as needed:
// "r[1-2]n[1-16]". Nullopt if there is none; one name is a set of one.
std::optional<std::string> fold_as_set(const std::vector<std::string>& names);

// A name as texts and numbers in turn; texts stand at even places. The parts refer to `name`.
std::vector<std::string_view> texts_and_numbers(std::string_view name);

// Orders names as people do: n2 before n10.
bool natural_less(std::string_view a, std::string_view b);
// The place of the only number in which two names differ: the set of both has one bracket. Nullopt
// if they differ otherwise, not at all, or in a number that is too long for a set.
std::optional<std::size_t> one_number_apart(std::string_view a, std::string_view b);

}  // namespace fabric
