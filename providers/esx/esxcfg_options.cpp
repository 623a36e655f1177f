// SPDX-License-Identifier: Apache-2.0
#include "providers/esx/esxcfg_options.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr std::string_view kModule = "== module ";

// The answer for a module; nullopt: the module was not asked for.
std::optional<std::string> said_of(std::string_view output, std::string_view module) {
  std::optional<std::string> said;
  bool inside = false;
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with(kModule)) {
      inside = trim(line.substr(kModule.size())) == module;
      if (inside) said.emplace();
    } else if (inside) {
      *said += std::string{line} + "\n";
    }
  }
  return said;
}

}  // namespace

Result<EsxModule> options_of(std::string_view output, std::string_view module) {
  const auto said = said_of(output, module);
  if (!said) return Error{ErrorCode::invalid, "fabric does not ask for this module"};
  std::vector<EsxModule> modules = FABRIC_TRY(parse_esxcfg_module(*said));
  if (modules.size() != 1 || modules.front().name != module)
    return Error{
        ErrorCode::invalid, fmt::format("the host answers for another module than {}", module)};
  return std::move(modules.front());
}

}  // namespace fabric::providers::esxi
