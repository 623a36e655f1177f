// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/kinds/options.hpp"

#include <fmt/format.h>

#include "providers/esx_classic/kinds/sh/scripts.hpp"

namespace fabric::providers::esx_classic {

remote::Argv edit_options(std::string_view module, const std::vector<OptionEdit>& edits) {
  remote::Argv argv{"sh", "-c", sh::esx_options_edit, "fabric-options", module};
  for (const OptionEdit& edit : edits) {
    const std::string key =
        edit.triplet.empty() ? edit.key : fmt::format("{}:{}", edit.key, edit.triplet);
    argv.push_back(edit.value ? fmt::format("{}={}", key, *edit.value) : "-" + key);
  }
  return argv;
}

remote::Argv enable_module(std::string_view module, bool enabled) {
  return {"sh", "-c", sh::esx_module_enable, "fabric-module", module, enabled ? "e" : "d"};
}

}  // namespace fabric::providers::esx_classic
