// SPDX-License-Identifier: Apache-2.0
// The part of a plan's text that lists the changes, node by node.
#pragma once

#include <string>
#include <string_view>

#include "engine/report/terminal/style.hpp"
#include "engine/value/value.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// The observed value: "1500", "1500, next boot 9000", "9000, file absent": other layers only where
// they differ from the running value. `attribute` decides how a value is shown; "" = by its text().
std::string observed_text(const LayeredReading& observed, std::string_view attribute = {});

// "1500 -> 9000", printable.
std::string change_text(const plans::PlannedChange& change);
// "9000", "removed"
std::string desired_text(const plans::PlannedChange& change);

Text changes_text(const plans::Plan& plan, const Style& style);

// The attribute `partitions` of the kind subnet_manager; any other value is shown as usual.
// "Default 0x7fff ipoib mtu 4096: ALL full; storage 0x0010: pve1/cx5/1 full, pve2/cx5/1 limited"
std::string partitions_text(const Value& partitions);

}  // namespace fabric::report
