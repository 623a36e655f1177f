// SPDX-License-Identifier: Apache-2.0
// The platforms that fabric ships and their providers, by name.
#pragma once

#include "engine/platform/registry.hpp"

namespace fabric::providers {

void add_builtin_providers(Registry& registry);

}  // namespace fabric::providers
