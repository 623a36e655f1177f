// SPDX-License-Identifier: Apache-2.0
// Where fabric keeps what it needs between runs, below --chdir.
#pragma once

namespace fabric::cli {

inline constexpr const char* kStateFolder = ".fabric";
inline constexpr const char* kLabFolder = ".fabric/lab";

}  // namespace fabric::cli
