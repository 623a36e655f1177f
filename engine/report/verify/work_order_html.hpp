// SPDX-License-Identifier: Apache-2.0
// Work orders on paper: a list, and labels for the cables.
#pragma once

#include <string>
#include <vector>

#include "engine/verify/orders/work_orders.hpp"

namespace fabric::report {

// One page without scripts or external references, with a box to tick for each order.
std::string work_order_html(
    const std::vector<verify::WorkOrder>& orders, const std::string& fabric);

// Two labels for each cable that is moved or added, one for each plug: the order's number, the port
// for the plug, and the port of the other plug.
std::string work_order_labels(
    const std::vector<verify::WorkOrder>& orders, const std::string& fabric);

}  // namespace fabric::report
