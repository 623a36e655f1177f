// SPDX-License-Identifier: Apache-2.0
// The commit that the program was built from.
#pragma once

#include <string_view>

namespace fabric::cli {

// "c457257ab01f", "c457257ab01f-dirty" with changes that are not committed, "unknown" without git.
// Made in every build by cmake/write_commit.cmake.
std::string_view source_commit();

}  // namespace fabric::cli
