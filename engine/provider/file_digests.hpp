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

// The prefix of the names of their probes: they print a line "DIGEST PATH" for each file; links and
// folders are left out.
inline constexpr std::string_view kFileDigestsProbe = "file-digests";
// The digests of all files; empty if they were not asked for or the probe failed.
FileDigests file_digests(const NodeFacts& facts);

// The files that are not as the action must find them, each in words for people. A file may also
// have the text that the action writes, and with `begun` one that it removes may be gone.
std::vector<std::string> changed_files(
    const ActionDraft& draft, const NodeFacts& facts, bool begun = false);

}  // namespace fabric
