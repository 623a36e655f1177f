// SPDX-License-Identifier: Apache-2.0
// The digest of a file of a node that belongs to somebody else, as it was when a plan was made.
// What changes such a file compares it in the same command, before it writes.
#pragma once

#include <string>
#include <string_view>

#include "engine/remote/command.hpp"

namespace fabric::remote {

// What stands before each line of somebody else that fabric has commented out, then the name of the
// resource that it is for and "# ". A line that fabric has put in the place of such lines ends in a
// space, the mark, that name and "#". The digest of a file is that of its text without both: what
// fabric comments out for one resource makes no plan stale for another, and may be done twice.
inline constexpr std::string_view kAdoptedMark = "#adopted by fabric ";

// Functions of a POSIX shell:
// `file_digest FILE` prints the SHA-256, 64 lower-case hex digits; fails for what is no regular
// file, a link among them.
// `is_unchanged FILE DIGEST` compares.
// `changed FILE` says so on standard error and ends the script with kFileChanged.
std::string digest_functions();

inline constexpr int kFileChanged = 79;
// Did a command end by `changed`?
bool says_changed(const CommandOutput& output);

}  // namespace fabric::remote
