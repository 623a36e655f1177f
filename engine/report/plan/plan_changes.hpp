// The part of a plan's text that lists the changes, node by node.
#pragma once

#include <string>
#include <string_view>

#include "engine/report/terminal/style.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// "1500", "1500, next boot 9000", "9000, file absent": what is there, other layers only where they
// differ from what runs. `attribute` says how a value is shown, "" = as values are.
std::string observed_text(const LayeredReading& observed, std::string_view attribute = {});

std::string changes_text(const plans::Plan& plan, const Style& style);

}  // namespace fabric::report
