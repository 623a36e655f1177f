// SPDX-License-Identifier: Apache-2.0
// Reads the steps of a plan file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/provider/change.hpp"
#include "engine/remote/work_steps.hpp"
#include "plans/reading/shape.hpp"

namespace fabric::plans {

// The scripts of a plan file by name, as its steps name them.
using Scripts = std::map<std::string, const remote::Script*, std::less<>>;
Scripts read_scripts(Shape& plan);

// `key`: "steps" of an action, or "undo".
WorkSteps read_steps(Shape& shape, std::string_view key, const Scripts& scripts);
std::vector<FileCondition> read_file_conditions(Shape& shape);

}  // namespace fabric::plans
