// SPDX-License-Identifier: Apache-2.0
// The wall around what root writes on a node: whatever a document or a node calls its things, a
// file is written in the folders of its kind, and no text of a resource ends a line in it. It asks
// nothing of the reader of documents, which refuses such names at their place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/provider/change.hpp"

namespace fabric {

// Why `draft` must not be done for `resource`, "" = it may be:
// * a file of its steps or of its rollback is not beneath one of `folders` ("/etc/sysctl.d/") or
//   its path has an empty part, ".", ".." or a character that is not plain; files of another
//   program, which have a FileCondition, may stand anywhere;
// * it writes files, and the name of the resource or a text of its binding or desired values holds
//   what a line of a file can't: for names a blank, a quote or another sign of a file format, for
//   values a control character;
// * a line for a prompt holds a control character.
std::string why_not_written(
    const Resource& resource,
    const ActionDraft& draft,
    const std::vector<std::string_view>& folders);

}  // namespace fabric
