// SPDX-License-Identifier: Apache-2.0
// The digest of a foreign file of a node, as it was when a plan was made. A command that changes
// such a file compares the digest first.
#pragma once

#include <string_view>

#include "engine/remote/command.hpp"

namespace fabric::remote {

// The mark before each foreign line that fabric has commented out, then the name of the
// resource that it is for and "# ". A line that fabric has put in the place of such lines ends in a
// space, the mark, that name and "#". The digest of a file is that of its text without both: what
// fabric comments out for one resource makes no plan stale for another, and may be done twice.
inline constexpr std::string_view kAdoptedMark = "#adopted by fabric ";

// The functions that read and compare it: sh/file_digest.sh.

// The exit status of `changed` there.
inline constexpr int kFileChanged = 79;
bool says_changed(const CommandOutput& output);

}  // namespace fabric::remote
