// SPDX-License-Identifier: Apache-2.0
// The work on a subnet manager: its files, then a start and the wait until it manages, or a reload.
#pragma once

#include "engine/provider/provider.hpp"

namespace fabric::providers {

Result<Work> manager_work(const Change& change, const WorkContext& context);

}  // namespace fabric::providers
