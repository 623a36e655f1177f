// SPDX-License-Identifier: Apache-2.0
// The folders below --chdir that keep fabric's state between runs.
#pragma once

#include <string>

#include "engine/files/read.hpp"

namespace fabric::cli {

inline constexpr const char* kStateFolder = ".fabric";
inline constexpr const char* kLabFolder = ".fabric/lab";
inline constexpr const char* kRunsFolder = ".fabric/runs";

// No links for a path with `.fabric` in it: fabric's own file is no link of the working tree.
files::Links links_to(const std::string& path);

}  // namespace fabric::cli
