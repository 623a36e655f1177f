// SPDX-License-Identifier: Apache-2.0
// The kinds of machines that a document names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fabric {

enum class Platform : std::uint8_t { linux, esxi, esx_classic, mlnx_os, cumulus, nvos, unmanaged };

// The spelling of the document: "esx-classic".
std::string_view to_string(Platform platform);
std::optional<Platform> platform_of(std::string_view written);
bool is_switch(Platform platform);  // mlnx_os, cumulus, nvos, unmanaged

}  // namespace fabric
