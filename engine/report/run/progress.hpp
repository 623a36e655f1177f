// RunReporter: what a workflow shows while it goes on. One implementation writes for people, one
// writes events.
#pragma once

#include <functional>
#include <string_view>

#include "engine/workflow/listener.hpp"

namespace fabric::report {

// Where text goes. Called with whole lines, or with pieces that redraw a terminal.
using Sink = std::function<void(std::string_view)>;

using RunReporter = workflow::Listener;

}  // namespace fabric::report
