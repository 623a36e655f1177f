// The providers that fabric ships, by name.
#pragma once

#include "engine/provider/registry.hpp"

namespace fabric::providers {

void add_builtin_providers(Registry& registry);

}  // namespace fabric::providers
