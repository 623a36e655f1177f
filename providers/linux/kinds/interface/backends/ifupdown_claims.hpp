// SPDX-License-Identifier: Apache-2.0
// What somebody else's files of ifupdown and ifupdown2 say of an interface of ours.
#pragma once

#include <vector>

#include "providers/linux/kinds/interface/backends/backend.hpp"

namespace fabric::providers {

// By its stanza, by a pattern or a template, by what `auto` makes of it, as a port of a bond or
// bridge, or by a command of another stanza.
std::vector<ForeignEntry> ifupdown_foreign(const LinkTarget& target, const FileTexts& files);

}  // namespace fabric::providers
