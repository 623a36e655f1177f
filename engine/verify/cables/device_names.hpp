// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "engine/model/spec.hpp"

namespace fabric::verify {

// What a port of the document may call itself in a subnet, in lower case: the name of its
// interface, and those that its PCI address gives it.
std::set<std::string> device_names(const AdapterSpec& adapter, std::uint32_t number);

}  // namespace fabric::verify
