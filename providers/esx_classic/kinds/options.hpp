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
  // For an option that is a list of triplets: the first two numbers of the triplet to change,
  // "13,1". `value` is its third number; the other triplets stay.
  std::string triplet{};
};

// Reads the whole string on the node, changes it, writes it and reads it again; notes the changed
// options since the boot. Two changes of one plan keep each other's options.
remote::Argv edit_options(std::string_view module, const std::vector<OptionEdit>& edits);
// Makes the boot load the module, or not.
remote::Argv enable_module(std::string_view module, bool enabled);

}  // namespace fabric::providers::esx_classic
