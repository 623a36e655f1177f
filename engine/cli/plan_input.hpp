// A plan file as the argument of a verb, where a document could stand as well.
#pragma once

#include <optional>
#include <string>

#include "engine/cli/reality.hpp"
#include "plans/plan.hpp"

namespace fabric::cli {

// The text of the plan file at `path`; nullopt: it is a document, or the folder of one.
Result<std::optional<std::string>> plan_file_text(const std::string& path);

// What the plan was made from. Fails with ErrorCode::stale if a file of it has changed since.
Result<Wanted> wanted_of(const Context& context, const plans::Plan& plan);

}  // namespace fabric::cli
