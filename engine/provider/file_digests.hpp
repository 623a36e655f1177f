// SPDX-License-Identifier: Apache-2.0
// Digests of foreign files on a node (remote/file_digest), from a probe.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/change.hpp"

namespace fabric {

using FileDigests = std::map<std::string, std::string, std::less<>>;  // by absolute path

// What the names of their probes begin with: a line "DIGEST PATH" for each; links and folders are
// left out.
inline constexpr std::string_view kFileDigestsProbe = "file-digests";
// Empty where it was not asked or has failed.
FileDigests file_digests(const NodeFacts& facts);

// Which files are not as the action must find them, each as it is said to people. A file that it
// writes may also be what it makes of it; `begun`: and one that it removes may be gone.
std::vector<std::string> changed_files(
    const ActionDraft& draft, const NodeFacts& facts, bool begun = false);

}  // namespace fabric
