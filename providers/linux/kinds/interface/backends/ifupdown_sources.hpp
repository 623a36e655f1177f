// SPDX-License-Identifier: Apache-2.0
// Whether ifupdown reads a file: what the `source` lines of /etc/network/interfaces take.
#pragma once

#include <set>
#include <string>

#include "engine/platform/owned_file.hpp"

namespace fabric::providers {

// Why `file`, a file below /etc/network/interfaces.d whose name is of [A-Za-z0-9_-] alone, would
// not be read; "" if it is. Lines of /etc/network/interfaces itself are looked at, and no others.
std::string why_not_sourced(const FileTexts& files, const std::string& file);

// Of `files` those that /etc/network/interfaces names by `source` and `source-directory`, and those
// that these name in turn.
std::set<std::string> sourced_files(const FileTexts& files);

}  // namespace fabric::providers
