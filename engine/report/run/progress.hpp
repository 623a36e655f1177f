// SPDX-License-Identifier: Apache-2.0
// RunReporter: what a workflow shows while it goes on. One implementation writes for people, one
// writes events.
#pragma once

#include <functional>

#include "engine/report/terminal/text.hpp"
#include "engine/workflow/listener.hpp"

namespace fabric::report {

// Where text goes. Called with whole lines, or with pieces that redraw a terminal.
using Sink = std::function<void(const Text&)>;

using RunReporter = workflow::Listener;

}  // namespace fabric::report
