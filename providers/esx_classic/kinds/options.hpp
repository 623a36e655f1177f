// SPDX-License-Identifier: Apache-2.0
// The option string of a module, changed so that everything else in it stays
// (E-esx-module-options).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/remote/command.hpp"

namespace fabric::providers::esx_classic {

struct OptionEdit {
  std::string key;                   // letters, digits and "_"
  std::optional<std::string> value;  // nullopt: it goes. No blanks, no quotes
  // Of a list of triplets: the first two numbers of the one that is meant, "13,1". `value` is the
  // third; the other triplets stay.
  std::string triplet{};
};

// Reads the whole string on the node, changes it, writes the whole string and reads it again; notes
// what was changed since the boot. Two changes of one plan keep each other's.
remote::Argv edit_options(std::string_view module, const std::vector<OptionEdit>& edits);
// Loaded at the boot or not.
remote::Argv enable_module(std::string_view module, bool enabled);

}  // namespace fabric::providers::esx_classic
