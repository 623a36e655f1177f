// SPDX-License-Identifier: Apache-2.0
// Work orders on paper: a list to take along, and labels for the cables.
#pragma once

#include <string>
#include <vector>

#include "engine/verify/orders/work_orders.hpp"

namespace fabric::report {

// One page without scripts that refers to nothing outside of it, with a box to tick for each order.
std::string work_order_html(
    const std::vector<verify::WorkOrder>& orders, const std::string& fabric);

// Two labels for each cable that is moved or put in, one for each plug: the number, the port that
// the plug belongs into, and where the other one is.
std::string work_order_labels(
    const std::vector<verify::WorkOrder>& orders, const std::string& fabric);

}  // namespace fabric::report
