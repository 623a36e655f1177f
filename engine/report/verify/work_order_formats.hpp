// SPDX-License-Identifier: Apache-2.0
// Work orders for spreadsheets and on paper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/verify/orders/work_orders.hpp"

namespace fabric::report {

// Work orders as a table for spreadsheets and ticket systems.
// A head, then one row for each order. Every cell is text, never a formula.
std::string work_order_csv(const std::vector<verify::WorkOrder>& orders);

// The numbers in a list that work_order_csv() has written. Other text is skipped.
std::vector<std::string> work_order_numbers(std::string_view csv);

// The task in words: "move the plug".
std::string_view task_words(verify::Task task);

// Work orders on paper: a list, and labels for the cables.
// One page without scripts or external references, with a box to tick for each order.
std::string work_order_html(
    const std::vector<verify::WorkOrder>& orders, const std::string& fabric);

// Two labels for each cable that is moved or added, one for each plug: the order's number, the port
// for the plug, and the port of the other plug.
std::string work_order_labels(
    const std::vector<verify::WorkOrder>& orders, const std::string& fabric);

}  // namespace fabric::report
