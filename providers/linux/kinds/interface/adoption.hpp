// SPDX-License-Identifier: Apache-2.0
// Adoption: taking over foreign configuration. The former text is kept on the node below
// /var/lib/fabric, never leaves it, and comes back when fabric's own configuration is removed.
#pragma once

#include <string>
#include <vector>

#include "engine/provider/file_digests.hpp"
#include "engine/remote/command.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"

namespace fabric::providers {

// "/var/lib/fabric/adopted/bond-bond0": keeps the files adopted for a resource.
std::string adoption_folder(const LinkTarget& target);
// True if the probe of configuration files listed adopted files of the target.
bool has_adopted(const LinkTarget& target, const FileTexts& files);

// Why the entry can't be adopted; "" if it can.
std::string adoption_obstacle(const ForeignEntry& entry, const FileDigests& digests);
// The obstacle of the first entry that has one, with file and line; "" if none has.
std::string adoption_obstacle(const std::vector<ForeignEntry>& entries, const FileDigests& digests);

// Keeps copies of the entries; changes nothing else. This function and those below that take
// `entries` REQUIRE: adoption_obstacle(entries, digests) is "".
std::vector<remote::Argv> keep_copies(
    const LinkTarget& target, const std::vector<ForeignEntry>& entries, const FileDigests& digests);
// Conditions that the files that are adopted, in whole or in part, are as they were read.
std::vector<FileCondition> adopted_as_read(
    const std::vector<ForeignEntry>& entries, const FileDigests& digests);
std::vector<FileCondition> marked_as_read(
    const LinkTarget& target, const FileTexts& files, const FileDigests& digests);
// Files that are adopted whole and have another path than fabric's: to be removed.
std::vector<std::string> adopted_files(const std::vector<ForeignEntry>& entries);
// Comments out, in place, the adopted stanzas of shared files by their text, and leaves their
// stubs: one command a file.
std::vector<remote::Argv> comment_out(
    const LinkTarget& target,
    const std::vector<ForeignEntry>& entries,
    const FileTexts& files,
    const FileDigests& digests);
// Puts back all files that were adopted for this resource; does nothing if there are none, or if a
// file of `as_read` is not as it was read.
remote::Argv put_back(const LinkTarget& target, const std::vector<FileCondition>& as_read = {});
// Undoes put_back(), in whole or in part, where the files were not changed since; otherwise fails.
// REQUIRES: fabric's files are there again when it runs.
remote::Argv take_again(const LinkTarget& target);

}  // namespace fabric::providers
