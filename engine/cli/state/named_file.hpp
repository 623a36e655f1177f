// SPDX-License-Identifier: Apache-2.0
// Files named by the document, whose author may be a stranger, or by the operator, whose files no
// document may choose.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/base/result.hpp"

namespace fabric::cli {

// A file that the document names: a regular file beneath `folder`, through any links; with
// `trusted` a file anywhere. `path` is relative to the working directory or absolute. Fails with
// ErrorCode::forbidden for a file outside, else as read_text_file.
Result<std::string> read_named_file(
    const std::string& folder, const std::string& path, bool trusted, std::size_t bytes_max);

// The outermost folder at or above `folder` that has a `.git`, absolute, without links; nullopt: it
// is in no working tree of git.
std::optional<std::string> repository_of(const std::string& folder);
// The folder whose files an author of the document may change: its repository, or else `folder`.
std::string working_tree(const std::string& folder);

// Requirements of a file that the operator names.
struct OperatorFile {
  std::string option;  // "--credentials", for messages
  // Mode bits that the file may not have: 077 for a secret, 022 for a file that others may read.
  mode_t forbidden_mode = 077;
  bool may_be_of_root = false;  // root may own it, too
  bool may_be_a_link = false;
  // Folders in which no part of the file's path may lie: an author of the document could change it.
  std::vector<std::string> trees{};
};

// Fails with ErrorCode::not_found or denied as read_text_file, and with ErrorCode::forbidden,
// saying what to do, if the file is not as `expected`. No message has any of its content.
Result<std::string> read_operator_file(
    const std::string& path, const OperatorFile& expected, std::size_t bytes_max);

}  // namespace fabric::cli
