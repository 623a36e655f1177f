// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/report/tables/tables.hpp"
#include "engine/report/verify/work_order_formats.hpp"

#include "tests/support/catch.hpp"

namespace fabric::report::test {

namespace {

std::vector<verify::WorkOrder> hostile(const std::string& text) {
  verify::WorkOrder order;
  order.number = "AAAAA-BBBBB";
  order.network = order.label = order.type = order.length = order.speed = order.detail = text;
  order.plug = order.to = order.other = {text, text, text, text};
  return {order};
}

}  // namespace

TEST_CASE("no cell is a formula", "[report]") {
  for (const char* text : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1"}) {
    const std::string cell = csv_cell(text);
    CAPTURE(cell);
    // What a spreadsheet sees first, also if it strips blanks.
    const std::size_t first = cell.find_first_not_of(" \"");
    REQUIRE(first != std::string::npos);
    CHECK(std::string{"=+-@\t\r"}.find(cell[first]) == std::string::npos);
  }
  const std::vector<std::string> blanks{
      "",
      "\u00a0",
      "\u1680",
      "\u2000",
      "\u2007",
      "\u200a",
      "\u202f",
      "\u205f",
      "\u3000 ",
      "\t\u00a0"};
  for (const char* sign : {"=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"}) {
    for (const std::string& blank : blanks) {
      CAPTURE(sign, blank);
      CHECK(csv_cell(blank + sign + "1").starts_with('\''));
    }
  }
  CHECK(csv_cell("\u00e4-1") == "\u00e4-1");
  CHECK(csv_cell("pve1") == "pve1");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("say \"x\"") == "\"say \"\"x\"\"\"");
}

TEST_CASE("a row of work orders is one line, whatever nodes say", "[report]") {
  const std::string text = work_order_csv(hostile("=a\n-b\"\r\n+c,"));
  CHECK(split_lines(text).size() == 2);
  CHECK(text.find(",=") == std::string::npos);
  CHECK(text.find("\"=") == std::string::npos);
}

TEST_CASE("an order of an earlier list that is gone is done", "[report]") {
  std::vector<verify::WorkOrder> orders = hostile("x");
  orders[0].number = "7K3M2-Q2XA9";
  const std::string earlier =
      work_order_csv(orders) + "00000-11111,,move\n00000-11111/2,,move\n=cmd()-AAAAA,\nshort,\n";
  const std::vector<std::string> numbers = work_order_numbers(earlier);
  CHECK(numbers == std::vector<std::string>{"7K3M2-Q2XA9", "00000-11111", "00000-11111/2"});
  verify::add_done(orders, numbers);
  REQUIRE(orders.size() == 3);
  CHECK(orders[1].number == "00000-11111");
  CHECK(orders[1].task == verify::Task::done);
  CHECK(work_order_csv(orders).find("\n00000-11111/2,,done,") != std::string::npos);
}

TEST_CASE("work orders on paper have no element of others", "[report]") {
  const auto orders = hostile("<img src=x onerror=\"alert(1)\">&'");
  for (const std::string& page :
       {work_order_html(orders, "<b>"), work_order_labels(orders, "<b>")}) {
    CHECK(page.find("<img") == std::string::npos);
    CHECK(page.find("<b>&lt;") == std::string::npos);
    CHECK(page.find("&lt;img src=x onerror=&quot;") != std::string::npos);
    CHECK(page.find("Content-Security-Policy") != std::string::npos);
  }
}

}  // namespace fabric::report::test
