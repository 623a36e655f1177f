// A plan file as the argument of a verb, where a document could stand as well.
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.hpp"

namespace fabric::cli {

// The text of the plan file at `path`; nullopt: it is a document, or the folder of one.
Result<std::optional<std::string>> plan_file_text(const std::string& path);

}  // namespace fabric::cli
