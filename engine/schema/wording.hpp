// SPDX-License-Identifier: Apache-2.0
// The words of the validator's findings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/path.hpp"
#include "engine/schema/rule_set.hpp"
#include "engine/yaml/node.hpp"

namespace fabric::schema {

// "a text or a list".
std::string describe_types(Types types);
// "the text 'big'", "the whole number 16", "a mapping", "nothing".
std::string describe_found(const yaml::Node& node);
// "infiniband, ethernet, chain, lag" or "'fabric/v1'".
std::string describe_choices(const std::vector<std::string>& words);
// "a number from 1 to 65535", "at least 1", "at most 5".
std::string describe_range(const Bounds<double>& range);
// "exactly 2 items", "at least 1 item".
std::string describe_count(const Bounds<std::size_t>& count, std::string_view noun);

// The cure for a value of the wrong type; "" if there is none.
std::string help_for_type(const yaml::Node& node, Types accepted);
// The schema's description of a value, and an example.
std::string help_from(const Rule& rule, const Path& path);

}  // namespace fabric::schema
