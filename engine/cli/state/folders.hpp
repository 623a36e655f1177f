// SPDX-License-Identifier: Apache-2.0
// Where fabric keeps what it needs between runs, below --chdir.
#pragma once

#include <string>

#include "engine/files/read.hpp"

namespace fabric::cli {

inline constexpr const char* kStateFolder = ".fabric";
inline constexpr const char* kLabFolder = ".fabric/lab";
inline constexpr const char* kRunsFolder = ".fabric/runs";

// Of a path with `.fabric` in it: a file there is fabric's own, and no link of the working tree.
files::Links links_to(const std::string& path);

}  // namespace fabric::cli
