// SPDX-License-Identifier: Apache-2.0
// Decides whether a foreign ifcfg file means one of fabric's interfaces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/parsers/ifcfg_file.hpp"

namespace fabric::providers {

// The entry if the file means the target. `suffix`: the part of the file name after "ifcfg-", by
// which initscripts name the interface where the file does not. A port is meant by its name, also
// with a further address ("ens1:0", "ens1-range0"); by its hardware address, with any name; as a
// port of a bond of Open vSwitch; and where NetworkManager reads the file, by its MATCH_..., or by
// no selector at all.
std::optional<ForeignEntry> ifcfg_claim(
    const LinkTarget& target,
    const std::string& path,
    const std::string& suffix,
    const IfcfgFile& file,
    bool manager);

// The entries of all ifcfg files that NetworkManager reads.
std::vector<ForeignEntry> ifcfg_foreign(const LinkTarget& target, const FileTexts& files);

}  // namespace fabric::providers
