// SPDX-License-Identifier: Apache-2.0
// The same work on many things, by all processors of the machine.
#pragma once

#include <cstddef>
#include <functional>

namespace fabric {

// Calls `work` once with each number below `count`, on several threads and in no order. Returns
// when all is done. What comes out may not depend on the order: each call writes what is its own.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace fabric
