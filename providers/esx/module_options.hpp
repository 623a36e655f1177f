// SPDX-License-Identifier: Apache-2.0
// The option string of a driver: read as a whole, and changed so that all other options stay.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/provider.hpp"
#include "providers/esx/parsers/esxcfg_module.hpp"

namespace fabric::providers::esxi {

inline constexpr std::string_view kCardDriver = "nmlx5_core";
inline constexpr std::string_view kMaxVfs = "max_vfs";

// Probes for the cards' drivers: which are loaded, the options of their next load, and which
// options were changed since the boot. The latter is a file in memory, which the boot wipes.
std::vector<Probe> module_option_probes();

// Fails with ErrorCode::invalid where the string was not read, and for a module no resource has.
Result<EsxModule> module_options(const NodeFacts& facts, std::string_view module);
// nullopt: the host has no such module.
Result<std::optional<bool>> is_loaded(const NodeFacts& facts, std::string_view module);
// Loads the driver and lets the device manager claim its devices.
remote::Argv load_module(std::string_view module);
// The value of option `key`, "" for a word without a value; nullopt: it is not set. Of equal keys
// the driver takes the last.
std::optional<std::string> option_value(const EsxModule& module, std::string_view key);
// True if the option was changed since the boot, so that the driver runs with another value.
Result<bool> is_pending(const NodeFacts& facts, std::string_view module, std::string_view key);

struct OptionChange {
  std::string key;                   // letters, digits and "_"
  std::optional<std::string> value;  // nullopt: the option goes. No blanks, no quotes
  std::optional<std::size_t>
      element;  // of a list, from 0: only that changes, and goes with the last
};
// Why the value can't stand in an option string; "" = it can.
std::string not_an_option(const OptionChange& change);
// Reads the whole string on the node, changes it, writes it and reads it again: two changes of one
// plan keep each other's options. `elements`: the least length of a list; missing elements are 0.
remote::Argv set_options(
    std::string_view module, std::size_t elements, const std::vector<OptionChange>& changes);

// The arguments of that script, for scripts that end with the same ones.
remote::Argv options_words(
    std::string_view module, std::size_t elements, const std::vector<OptionChange>& changes);

// The option string of a driver as `esxcfg-module -g` prints it, on ESXi as on ESX: asked for many
// drivers at once, and read again by the scripts that change it.
// The options of one driver. `output`: of a probe that asked for many; the answer stands below "==
// module NAME". Fails with ErrorCode::invalid where they are unknown.
Result<EsxModule> options_of(std::string_view output, std::string_view module);

}  // namespace fabric::providers::esxi
