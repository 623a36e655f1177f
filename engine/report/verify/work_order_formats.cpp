// SPDX-License-Identifier: Apache-2.0
#include "engine/report/verify/work_order_formats.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/report/tables/tables.hpp"

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

namespace {

constexpr std::string_view kListStyle =
    "body{font:11pt sans-serif;margin:1.5cm}table{border-collapse:collapse;width:100%}"
    "th,td{border:1px solid #888;padding:.3em .5em;text-align:left;vertical-align:top}"
    "tr{break-inside:avoid}thead{display:table-header-group}td.box{font-size:16pt}"
    "small{color:#444}code{font:10pt monospace}";
constexpr std::string_view kLabelStyle =
    "body{font:9pt sans-serif;margin:.8cm}div{display:inline-block;box-sizing:border-box;"
    "width:6.2cm;height:2.2cm;border:1px dashed #888;padding:.15cm;margin:.1cm;overflow:hidden;"
    "break-inside:avoid}b{font:bold 11pt monospace}";

std::string page(const std::string& title, std::string_view style, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"><title>{0}</title>\n<style>{1}</style></head>\n<body>\n{2}</body></html>"
      "\n",
      html_text(title),
      style,
      body);
}

// "rack r1, unit 12: leaf1 7"
std::string where(const verify::Spot& spot) {
  std::string text;
  if (!spot.rack.empty()) text += "rack " + spot.rack;
  if (!spot.unit.empty()) text += (text.empty() ? "unit " : ", unit ") + spot.unit;
  if (!text.empty()) text += ": ";
  return text + (spot.node.empty() ? spot.port : spot.node + " " + spot.port);
}

std::string cell(const verify::Spot& spot) {
  return "<td>" + (spot.empty() ? std::string{} : html_text(where(spot))) + "</td>";
}

std::string cable_words(const verify::WorkOrder& order) {
  std::string words;
  for (const std::string* part : {&order.label, &order.type, &order.length, &order.speed}) {
    if (part->empty()) continue;
    if (!words.empty()) words += ", ";
    words += *part;
  }
  return words;
}

}  // namespace

std::string work_order_html(
    const std::vector<verify::WorkOrder>& orders, const std::string& fabric) {
  const std::string title = fmt::format("Work orders of {}", fabric);
  std::string body = fmt::format("<h1>{}</h1>\n", html_text(title));
  if (orders.empty()) return page(title, kListStyle, body + "<p>There is nothing to do.</p>\n");
  body +=
      "<p>Orders that name the same one under \"together\" need each other's ports: pull all of "
      "their plugs, then put them in.</p>\n<table><thead><tr><th></th><th>number</th>"
      "<th>do</th><th>plug</th><th>to</th><th>other end</th><th>cable</th><th>known by</th></tr>"
      "</thead>\n<tbody>\n";
  for (const verify::WorkOrder& order : orders) {
    body += fmt::format(
        "<tr><td class=\"box\">{}</td><td><code>{}</code>{}</td><td>{}</td>{}{}{}<td>{}</td>"
        "<td>{}<br><small>{}</small></td></tr>\n",
        order.task == verify::Task::done ? "&#9745;" : "&#9744;",
        html_text(order.number),
        order.together.empty()
            ? std::string{}
            : fmt::format("<br><small>together: {}</small>", html_text(order.together)),
        html_text(task_words(order.task)),
        cell(order.plug),
        cell(order.to),
        cell(order.other),
        html_text(cable_words(order)),
        order.task == verify::Task::done ? "" : html_text(to_string(order.proof)),
        html_text(order.detail));
  }
  return page(title, kListStyle, body + "</tbody></table>\n");
}

std::string work_order_labels(
    const std::vector<verify::WorkOrder>& orders, const std::string& fabric) {
  std::string body;
  for (const verify::WorkOrder& order : orders) {
    if (order.to.empty()) continue;
    for (const auto& [here, there] :
         {std::pair{&order.to, &order.other}, {&order.other, &order.to}}) {
      body += fmt::format(
          "<div><b>{}</b><br>{}<br>other end: {}<br>{}</div>\n",
          html_text(order.number),
          html_text(where(*here)),
          html_text(where(*there)),
          html_text(order.label));
    }
  }
  if (body.empty()) body = "<p>No cable needs a label.</p>\n";
  return page(fmt::format("Labels of {}", fabric), kLabelStyle, body);
}

}  // namespace fabric::report
