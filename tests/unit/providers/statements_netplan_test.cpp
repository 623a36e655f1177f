// SPDX-License-Identifier: Apache-2.0
// What its rows can't show of a format: several lines, several files.
#include <fmt/format.h>

#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/link_statements.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"

#include "tests/unit/providers/rows/netplan.hpp"

namespace fabric::providers {

namespace {

using namespace test;

TEST_CASE("every key of netplan(5) has a class", "[providers]") {
  for (const Row& row : kNetplanRows) {
    const std::string key = row.key;
    const std::size_t dot = key.find('.');
    const char* section = row.of == Of::bond ? "bonds" : row.of == Of::vlan ? "vlans" : "ethernets";
    std::string content = std::string{"network:\n  version: 2\n  "} + section + ":\n    " +
                          name_of(row.of) + ":\n      mtu: 9000\n";
    if (key == "mtu") content.resize(content.size() - std::string{"      mtu: 9000\n"}.size());
    const std::string last = key == "%" || key == "parameters.%" ? "\"%\"" : key.substr(dot + 1);
    content += dot == std::string::npos
                   ? "      " + (key == "%" ? last : key) + ": " + row.value + "\n"
                   : "      " + key.substr(0, dot) + ":\n        " + last + ": " + row.value + "\n";
    INFO(content);
    const Format format{netplan_backend(), "/etc/netplan/60-theirs.yaml"};
    CHECK(class_of(statements(format, row.of, content), row.key) == expected(row));
    if (content.find("label") != std::string::npos)
      CHECK(class_of(statements(format, row.of, content), "addresses.label") == "not");
  }
}

// A key counts where the best of its values stands.
TEST_CASE("lines of netplan that may hold secrets, and its drop-ins, have a class", "[providers]") {
  LinkTarget target{*ResourceAddress::parse("n1/interface/cx5.1")};
  target.name = "enp1s0f0np0";
  const std::string path = "/etc/netplan/60-theirs.yaml";
  const std::string drop_in = "/etc/systemd/network/10-netplan-enp1s0f0np0.network.d/more.conf";
  const FileTexts files{
      {path,
       "network:\n  ethernets:\n    eno1: {dhcp4: true}\n    enp1s0f0np0:\n      dhcp4: false\n"
       "      auth:\n        # (hidden)\n      # (hidden)\n    eno2: {}\n"},
      {drop_in, "[Network]\nAddress=10.99.7.4/24\n"}};
  const std::vector<ForeignEntry> entries = netplan_backend().foreign(target, files);
  std::vector<std::string> lost;
  for (const ForeignEntry& entry : entries) {
    for (const FileStatement& each : file_statements(target, entry, files))
      if (each.attribute != said::kNothing)
        lost.push_back(fmt::format("{}:{} {} {}", each.file, each.line, each.key, each.value));
  }
  CHECK(std::find(lost.begin(), lost.end(), path + ":7 line (hidden)") != lost.end());
  CHECK(std::find(lost.begin(), lost.end(), path + ":8 line (hidden)") != lost.end());
  CHECK(
      std::find(lost.begin(), lost.end(), drop_in + ":2 Network.Address 10.99.7.4/24") !=
      lost.end());
  REQUIRE_FALSE(entries.empty());
  CHECK(entries.front().last_line == 8);
}

}  // namespace

}  // namespace fabric::providers
