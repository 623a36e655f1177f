// SPDX-License-Identifier: Apache-2.0
// The option string of a driver as `esxcfg-module -g` tells it, on ESXi as on ESX: asked for many
// at once, and read again by the scripts that change it.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/provider/provider.hpp"
#include "providers/parsers/esxi/esxcfg_module.hpp"

namespace fabric::providers::esxi {

// The options of these drivers, separated by a blank; one that the host has not says so.
Probe options_probe(std::string_view id, std::string_view modules);
// Those of one of them, from what that probe printed. Fails with ErrorCode::invalid where they are
// not told.
Result<EsxModule> options_of(std::string_view output, std::string_view module);

// A function of the shell: `read_options` puts the options of $module into $options, or says why it
// can't and ends the script.
inline constexpr std::string_view kReadOptions = R"sh(read_options() {
  said=$(esxcfg-module -g "$module" 2>&1)
  case $said in
    "$module enabled = "?" options = '"*"'") ;;
    *) echo "esxcfg-module -g $module: $said"; exit 1 ;;
  esac
  options=${said#*" options = '"}
  options=${options%"'"}
}
)sh";

}  // namespace fabric::providers::esxi
