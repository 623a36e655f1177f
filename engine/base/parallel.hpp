// SPDX-License-Identifier: Apache-2.0
// The same work for many items, on all processors of the machine.
#pragma once

#include <cstddef>
#include <functional>

namespace fabric {

// Calls `work` once with each number below `count`, on several threads and in no order. Returns
// when all is done. The result must not depend on the order: each call writes only its own data.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace fabric
