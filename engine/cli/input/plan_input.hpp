// SPDX-License-Identifier: Apache-2.0
// A plan file as the argument of a verb, where a document could stand as well.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.hpp"

namespace fabric::cli {

// The text of the plan file at `path`; nullopt: the path is a document, or the folder of one.
Result<std::optional<std::string>> plan_file_text(const std::string& path);

// The text of a plan file that a user has named, or of the plan that a run has kept. The text is
// checked before it is parsed: fails with ErrorCode::invalid if it is no JSON.
Result<std::string> read_plan_text(const std::string& path);

}  // namespace fabric::cli
