// SPDX-License-Identifier: Apache-2.0
// The option string of a driver: read as a whole, and changed so that everything else in it stays.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/provider.hpp"
#include "providers/esx/parsers/esxcfg_module.hpp"

namespace fabric::providers::esxi {

inline constexpr std::string_view kCardDriver = "nmlx5_core";
inline constexpr std::string_view kMaxVfs = "max_vfs";

// Of the drivers of the cards: which are loaded, the options of their next loads, and which of
// these were changed since the boot. The latter is a file in memory: a boot, which brings them into
// force, wipes it.
std::vector<Probe> module_option_probes();

// Fails with ErrorCode::invalid where the string was not read, and for a module that no resource
// asks for.
Result<EsxModule> module_options(const NodeFacts& facts, std::string_view module);
// nullopt: the host has no such module.
Result<std::optional<bool>> is_loaded(const NodeFacts& facts, std::string_view module);
// Loads it and lets the device manager claim what it drives.
remote::Argv load_module(std::string_view module);
// The value of `key`, "" of a word without one; nullopt: it is not set. The driver takes the last
// of equal ones.
std::optional<std::string> option_value(const EsxModule& module, std::string_view key);
// Changed since the boot, so that the driver has another value or none.
Result<bool> is_pending(const NodeFacts& facts, std::string_view module, std::string_view key);

struct OptionChange {
  std::string key;                   // letters, digits and "_"
  std::optional<std::string> value;  // nullopt: the option goes. No blanks, no quotes
  std::optional<std::size_t>
      element;  // of a list, from 0: only that changes, and goes with the last
};
// Why the value can't stand in an option string; "" = it can.
std::string not_an_option(const OptionChange& change);
// Reads the whole string on the node, changes it, writes the whole string and reads it again: two
// changes of one plan keep each other's. `elements`: how many a list has at least; what is missing
// is 0.
remote::Argv set_options(
    std::string_view module, std::size_t elements, const std::vector<OptionChange>& changes);

// The arguments of that script, for another one that ends with the same.
remote::Argv options_words(
    std::string_view module, std::size_t elements, const std::vector<OptionChange>& changes);

}  // namespace fabric::providers::esxi
