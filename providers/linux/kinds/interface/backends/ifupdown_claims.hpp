// SPDX-License-Identifier: Apache-2.0
// The entries of foreign files of ifupdown and ifupdown2 about one of fabric's interfaces.
#pragma once

#include <vector>

#include "providers/linux/kinds/interface/backends/backend.hpp"

namespace fabric::providers {

// By its stanza, by a pattern or a template, by what `auto` makes of it, as a port of a bond or
// bridge, or by a command of another stanza.
std::vector<ForeignEntry> ifupdown_foreign(const LinkTarget& target, const FileTexts& files);

}  // namespace fabric::providers
