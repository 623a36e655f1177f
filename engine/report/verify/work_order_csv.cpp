// SPDX-License-Identifier: Apache-2.0
#include "engine/report/verify/work_order_csv.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/report/tables/csv.hpp"

namespace fabric::report {

namespace {

void add(std::vector<std::string>& row, const verify::Spot& spot) {
  for (const std::string* part : {&spot.rack, &spot.unit, &spot.node, &spot.port})
    row.push_back(*part);
}

// '#' is a digit or a capital letter.
bool fits_mark(char c, char mark) {
  const bool is_digit = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
  return mark == '#' ? is_digit : c == mark;
}

}  // namespace

std::string_view task_words(verify::Task task) {
  switch (task) {
    case verify::Task::move:
      return "move the plug";
    case verify::Task::connect:
      return "connect by a cable, or look at the one that is there";
    case verify::Task::unplug:
      return "pull the cable";
    case verify::Task::check:
      return "look at both plugs";
    case verify::Task::replace:
      return "clean the plugs, then replace the cable";
    case verify::Task::decide:
      return "pull the cable, or write it into the document";
    case verify::Task::done:
      return "done";
  }
  return "look at both plugs";
}

std::vector<std::string> work_order_numbers(std::string_view csv) {
  std::vector<std::string> numbers;
  for (const std::string_view line : split_lines(csv)) {
    const std::string_view first = line.substr(0, line.find(','));
    constexpr std::string_view kShape = "#####-#####/2";
    const bool fits = first.size() == kShape.size() || first.size() == kShape.size() - 2;
    const bool is_number =
        fits && std::equal(first.begin(), first.end(), kShape.begin(), fits_mark);
    if (is_number) numbers.emplace_back(first);
  }
  return numbers;
}

std::string work_order_csv(const std::vector<verify::WorkOrder>& orders) {
  const std::vector<std::string> head{
      "number",     "together",   "task",       "plug_rack", "plug_unit", "plug_node",
      "plug_port",  "to_rack",    "to_unit",    "to_node",   "to_port",   "other_rack",
      "other_unit", "other_node", "other_port", "network",   "label",     "type",
      "length",     "speed",      "known_by",   "do",        "detail"};
  std::string text = csv_row(head);
  for (const verify::WorkOrder& order : orders) {
    std::vector<std::string> row{order.number, order.together, std::string{to_string(order.task)}};
    add(row, order.plug);
    add(row, order.to);
    add(row, order.other);
    for (const std::string* part :
         {&order.network, &order.label, &order.type, &order.length, &order.speed})
      row.push_back(*part);
    row.emplace_back(order.task == verify::Task::done ? "" : to_string(order.proof));
    row.emplace_back(task_words(order.task));
    row.push_back(order.detail);
    text += csv_row(row);
  }
  return text;
}

}  // namespace fabric::report
