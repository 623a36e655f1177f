// SPDX-License-Identifier: Apache-2.0
// RunReporter: shows the progress of a workflow. One implementation writes for people, one writes
// events.
#pragma once

#include <functional>

#include "engine/report/terminal/text.hpp"
#include "engine/workflow/listener.hpp"

namespace fabric::report {

// The output of a text: whole lines, or pieces that redraw a terminal.
using Sink = std::function<void(const Text&)>;

using RunReporter = workflow::Listener;

}  // namespace fabric::report
