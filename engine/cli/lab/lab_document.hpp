// SPDX-License-Identifier: Apache-2.0
// The document that `fabric lab up --nodes N` writes: one ring.
#pragma once

#include <cstddef>
#include <string>

#include "engine/base/result.hpp"

namespace fabric::cli {

// REQUIRES: nodes >= 2.
std::string ring_document(std::size_t nodes);

}  // namespace fabric::cli
