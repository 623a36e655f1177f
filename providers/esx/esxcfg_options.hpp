// SPDX-License-Identifier: Apache-2.0
// The option string of a driver as `esxcfg-module -g` prints it, on ESXi as on ESX: asked for many
// drivers at once, and read again by the scripts that change it.
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "providers/esx/parsers/esxcfg_module.hpp"

namespace fabric::providers::esxi {

// The options of one driver. `output`: of a probe that asked for many; the answer stands below "==
// module NAME". Fails with ErrorCode::invalid where they are unknown.
Result<EsxModule> options_of(std::string_view output, std::string_view module);

}  // namespace fabric::providers::esxi
