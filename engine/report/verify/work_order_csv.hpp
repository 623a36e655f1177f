// SPDX-License-Identifier: Apache-2.0
// Work orders as a table for spreadsheets and ticket systems.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/verify/orders/work_orders.hpp"

namespace fabric::report {

// A head, then one row for each order. Every cell is text, never a formula.
std::string work_order_csv(const std::vector<verify::WorkOrder>& orders);

// The numbers in a list that work_order_csv() has written. Other text is skipped.
std::vector<std::string> work_order_numbers(std::string_view csv);

// The task in words: "move the plug".
std::string_view task_words(verify::Task task);

}  // namespace fabric::report
