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

// "/var/lib/fabric/adopted/bond-bond0": what was taken over for one resource, by its former path.
std::string adoption_folder(const LinkTarget& target);
// By the listing that the probe of configuration files prints.
bool has_adopted(const LinkTarget& target, const FileTexts& files);

// Why it can't be taken over; "" if it can.
std::string adoption_obstacle(const ForeignEntry& entry, const FileDigests& digests);
// The first that can't be, with file and line.
std::string adoption_obstacle(const std::vector<ForeignEntry>& entries, const FileDigests& digests);

// All that take `entries` REQUIRE: adoption_obstacle(entries, digests) is "".
// Keeps copies; changes nothing else.
std::vector<remote::Argv> keep_copies(
    const LinkTarget& target, const std::vector<ForeignEntry>& entries, const FileDigests& digests);
// The files that are taken over, and those of which a part was.
std::vector<FileCondition> adopted_as_read(
    const std::vector<ForeignEntry>& entries, const FileDigests& digests);
std::vector<FileCondition> marked_as_read(
    const LinkTarget& target, const FileTexts& files, const FileDigests& digests);
// Files that are taken over whole and stand elsewhere than ours: to be removed.
std::vector<std::string> adopted_files(const std::vector<ForeignEntry>& entries);
// Comments the stanzas of shared files out, in place, by their text, and leaves their stubs: one
// command a file.
std::vector<remote::Argv> comment_out(
    const LinkTarget& target,
    const std::vector<ForeignEntry>& entries,
    const FileTexts& files,
    const FileDigests& digests);
// Puts back all that was ever taken over for this resource; nothing if there is nothing, or if a
// file is not as it was read.
remote::Argv put_back(const LinkTarget& target, const std::vector<FileCondition>& as_read = {});
// Undoes put_back(), in whole or in part, as far as the files were not changed since; fails where
// they were. Files of fabric are to be there again when it runs.
remote::Argv take_again(const LinkTarget& target);

}  // namespace fabric::providers
