// SPDX-License-Identifier: Apache-2.0
// Whether a foreign ifcfg file means one of fabric's interfaces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/parsers/ifcfg_file.hpp"

namespace fabric::providers {

// `suffix` is the part after "ifcfg-" in the name of the file, which initscripts take for the
// interface where the file names none. A port is meant by its name, also with a further address
// ("ens1:0", "ens1-range0"), by its hardware address, whatever name the file gives it, as a port of
// a bond of Open vSwitch, and where NetworkManager reads the file, by its MATCH_..., or by nothing
// at all.
std::optional<ForeignEntry> ifcfg_claim(
    const LinkTarget& target,
    const std::string& path,
    const std::string& suffix,
    const IfcfgFile& file,
    bool manager);

// All that NetworkManager reads of the older files.
std::vector<ForeignEntry> ifcfg_foreign(const LinkTarget& target, const FileTexts& files);

}  // namespace fabric::providers
