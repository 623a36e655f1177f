// SPDX-License-Identifier: Apache-2.0
// What its rows can't show of a format: several lines, several files.
#include <fmt/format.h>

#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/link_statements.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"

#include "tests/unit/providers/rows/interfaces.hpp"

namespace fabric::providers {

namespace {

using namespace test;

TEST_CASE("every option of interfaces(5) has a class", "[providers]") {
  for (const Row& row : kInterfacesRows) {
    const std::string content =
        "iface " + name_of(row.of) + " inet static\n    " + row.key + " " + row.value + "\n";
    INFO(content);
    CHECK(
        class_of(
            statements({ifupdown_backend(), "/etc/network/interfaces"}, row.of, content),
            row.key) == expected(row));
  }
}

TEST_CASE(
    "the method of a stanza is a statement, and a netmask is one with its address", "[providers]") {
  const Format format{ifupdown_backend(), "/etc/network/interfaces"};
  const auto of_header = [&](const std::string& method, const char* key) {
    return class_of(
        statements(format, Of::port, "iface enp1s0f0np0 " + method + "\n    mtu 9000\n"), key);
  };
  CHECK(of_header("inet manual", "inet") == "said");
  CHECK(of_header("inet static", "inet") == "said");
  CHECK(of_header("inet dhcp", "inet") == "not");
  CHECK(of_header("inet6 auto", "inet6") == "not");
  CHECK(of_header("inet6 %", "inet6") == "not");
  CHECK(of_header("inet static inherits storage", "inherits") == "not");
  const auto all = statements(
      format,
      Of::port,
      "iface enp1s0f0np0 inet static\n    address 10.30.0.1\n    netmask 255.255.255.0\n");
  CHECK(class_of(all, "address") == "said");
  CHECK(class_of(all, "netmask") == "said");
  REQUIRE(all.size() == 3);
  CHECK(all[1].file == "/etc/network/interfaces");
  CHECK(all[1].line == 2);
}

}  // namespace

}  // namespace fabric::providers
