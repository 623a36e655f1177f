// What a plan file says of files of a node.
#pragma once

#include <vector>

#include "engine/provider/change.hpp"
#include "plans/reading/shape.hpp"

namespace fabric::plans {

// Of an action, or of its undoing.
std::vector<remote::step::WriteFile> read_writes(Shape& shape);
std::vector<remote::step::CopyFile> read_copies(Shape& shape);
std::vector<FileCondition> read_file_conditions(Shape& shape);

}  // namespace fabric::plans
