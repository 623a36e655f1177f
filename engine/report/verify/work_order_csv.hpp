// SPDX-License-Identifier: Apache-2.0
// Work orders as a table for spreadsheets and ticket systems.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/verify/orders/work_orders.hpp"

namespace fabric::report {

// A head, then one row for each. Every cell is text: nothing in it is a formula.
std::string work_order_csv(const std::vector<verify::WorkOrder>& orders);

// The numbers of a list that work_order_csv() has written. All other text is passed over.
std::vector<std::string> work_order_numbers(std::string_view csv);

// What to do, in words: "move the plug".
std::string_view task_words(verify::Task task);

}  // namespace fabric::report
