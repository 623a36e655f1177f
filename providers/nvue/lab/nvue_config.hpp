// SPDX-License-Identifier: Apache-2.0
// A configuration of NVUE as a tree, and the words that set it. See E-nvue-json, E-nvue-ranges.
#pragma once

#include <string>
#include <vector>

#include "engine/value/value.hpp"

namespace fabric::lab::nvue {

using Words = std::vector<std::string>;

// Null where nothing is set.
const Value* find(const Value& tree, const Words& path);
// The word at a path: a value, or the only member. "" = none.
std::string word_at(const Value& tree, const Words& path);
// The names in a key with ranges, "swp1-4,swp7".
Words names_of(const std::string& key);

// Sets the words. Returns "" or the error that `nv set` prints.
std::string set(Value& tree, const Words& words);
// False: nothing is set there.
bool unset(Value& tree, const Words& words);

// "nv set interface swp1 link mtu 9000", in order.
std::vector<std::string> set_lines(const Value& tree);
// The difference as `- set:` and `- unset:`.
std::string diff_yaml(const Value& from, const Value& to);
Value diff_value(const Value& from, const Value& to);

}  // namespace fabric::lab::nvue
