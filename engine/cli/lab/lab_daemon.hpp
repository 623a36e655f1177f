// SPDX-License-Identifier: Apache-2.0
// Starting the lab as a process of its own, which outlives the command that started it.
#pragma once

#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/result.hpp"
#include "engine/labserver/lab_service.hpp"

namespace fabric::cli {

// Runs this program again with `arguments`, detached from the terminal, its output in `log`, and
// waits until the lab of `folder` answers. Fails with what the log says if it ends before.
Result<labserver::LabInfo> start_lab(
    const std::vector<std::string>& arguments,
    const std::string& folder,
    const std::string& log,
    const Clock& clock);

}  // namespace fabric::cli
