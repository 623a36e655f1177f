// SPDX-License-Identifier: Apache-2.0
// Checks a YAML tree against a schema and reports every problem with its place.
#pragma once

#include "engine/base/diagnostic.hpp"
#include "engine/schema/schema.hpp"
#include "engine/yaml/node.hpp"

namespace fabric::schema {

// Rules: unknown-key (with a did-you-mean), missing-key, wrong-type, out-of-range,
// ambiguous-scalar. A shape error in one part never hides findings in another.
void validate(const yaml::Node& document, const Schema& schema, Diagnostics& diagnostics);

}  // namespace fabric::schema
