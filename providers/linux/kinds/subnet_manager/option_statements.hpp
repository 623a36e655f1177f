// SPDX-License-Identifier: Apache-2.0
// Statements of a file of OpenSM's options, or of its command line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/subnet_manager/manager_on_port.hpp"

namespace fabric::providers {

struct SaidOption {
  std::string key, value;
  std::string file;      // "" = of the command line
  std::size_t line = 0;  // 0 = of the command line
};

// The options of a file, without lines that a later one overrides.
std::vector<SaidOption> options_of_file(const std::string& path, const std::string& text);
// The options of "opensm --guid 0x1 -R updn": long and short names as the keys of the file.
std::vector<SaidOption> options_of_process(const std::vector<std::string>& words);

// The value as OpenSM takes the text: only TRUE is true, a text that is no number is the default,
// and "(null)" is none. Nullopt: the value is the default.
std::optional<Value> effective_option(const SaidOption& option, const ManagerState& state);

// Nullopt: it is OpenSM's default, or names a file that has statements of its own.
std::optional<Statement> option_statement(
    const SaidOption& option, const Resource& resource, const ManagerOnPort& manager);

// The document's port with this GUID, as "node/adapter/port"; "" if none is known.
std::string port_of_guid(const Resource& resource, std::string_view guid);

}  // namespace fabric::providers
