// SPDX-License-Identifier: Apache-2.0
// What its rows can't show of a format: several lines, several files.
#include <fmt/format.h>

#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/link_statements.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"

#include "tests/unit/providers/rows/ifcfg.hpp"

namespace fabric::providers {

namespace {

using namespace test;

TEST_CASE("every key of ifcfg files has a class", "[providers]") {
  for (const Row& row : kIfcfgRows) {
    const std::string key = row.key;
    std::string line = key + "=\"" + row.value + "\"\n";
    if (key.starts_with("BONDING_OPTS."))
      line = "BONDING_OPTS=\"" + key.substr(key.find('.') + 1) + "=" + row.value + "\"\n";
    if (key == "IPADDR") line += "NETMASK=255.255.255.0\n";
    const std::string content = "DEVICE=" + name_of(row.of) + "\n" + line;
    INFO(content);
    const Format format{ifcfg_backend(), "/etc/sysconfig/network-scripts/ifcfg-" + name_of(row.of)};
    CHECK(class_of(statements(format, row.of, content), row.key) == expected(row));
  }
}

TEST_CASE("a line that a reader takes for nothing is a statement", "[providers]") {
  const auto ifcfg = statements(
      {ifcfg_backend(), "/etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0"},
      Of::port,
      "DEVICE=enp1s0f0np0\nMTU=9000\n/usr/sbin/ethtool -G $DEVICE rx 8192\n");
  CHECK(class_of(ifcfg, "line") == "not");
  CHECK(ifcfg.back().line == 3);
}

TEST_CASE("a file of an alias is a file of the interface", "[providers]") {
  const std::string folder = "/etc/sysconfig/network-scripts/";
  bonding::Node node;
  node.files = bonding::as_files(
      folder + "ifcfg-enp1s0f0np0", "DEVICE=enp1s0f0np0\nIPADDR=10.30.0.1\nPREFIX=24\n");
  const std::string alias = folder + "ifcfg-enp1s0f0np0:1";
  const auto all = statements(
      {ifcfg_backend(), alias},
      Of::port,
      "DEVICE=enp1s0f0np0:1\nONBOOT=yes\nIPADDR=10.99.7.5\nPREFIX=24\n",
      node);
  std::string of_alias;
  for (const Statement& each : all)
    if (each.file == alias)
      of_alias += fmt::format("{} {} {}; ", each.line, each.key, name(each.said));
  CHECK(of_alias == "1 DEVICE said; 2 ONBOOT said; 3 IPADDR not; 4 PREFIX said; ");
  CHECK(class_of({all.front()}, "DEVICE") == "said");
}

TEST_CASE("of several addresses and gateways of a family one can be written", "[providers]") {
  const auto all = statements(
      {ifcfg_backend(), "/etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0"},
      Of::port,
      "DEVICE=enp1s0f0np0\nIPADDR=10.30.0.1\nPREFIX=24\nIPV6ADDR=fd00::1/64\n"
      "IPV6ADDR_SECONDARIES=\"fd01::1/64\"\nIPV6_DEFAULTGW=fd00::fe\nGATEWAY=10.30.0.254\n",
      {.files = bonding::as_files(
           "/etc/sysconfig/network-scripts/route-enp1s0f0np0", "default via 10.30.0.253\n")});
  std::string found;
  for (const Statement& each : all)
    found += each.key + " " + name(each.said) + "; ";
  CHECK(
      found ==
      "DEVICE said; IPADDR said; PREFIX said; IPV6ADDR sayable; IPV6ADDR_SECONDARIES not; "
      "IPV6_DEFAULTGW sayable; GATEWAY sayable; route not; ");
}

TEST_CASE("files of routes by the name of a profile are about its interface", "[providers]") {
  const std::string folder = "/etc/sysconfig/network-scripts/";
  bonding::Node node;
  node.files =
      bonding::as_files(
          folder + "route-data",
          "10.9.0.0/16 via 10.30.0.254 dev enp1s0f0np0\n10.8.0.0/16 via 10.30.0.254 dev eno1\n") +
      bonding::as_files(folder + "route6-data", "fd09::/32 via fd00::9 dev enp1s0f0np0\n") +
      bonding::as_files(folder + "rule6-data", "from fd00::1 lookup 7\n");
  std::string found;
  for (const Statement& each : statements(
           {ifcfg_backend(), folder + "ifcfg-data"},
           Of::port,
           "DEVICE=enp1s0f0np0\nIPV6ADDR=fd00::1/64\n",
           node))
    if (each.file != folder + "ifcfg-data")
      found +=
          fmt::format("{}:{} {}; ", each.file.substr(folder.size()), each.line, name(each.said));
  CHECK(
      found == "route-data:1 sayable; route-data:2 not; route6-data:1 sayable; rule6-data:1 not; ");
}

}  // namespace

}  // namespace fabric::providers
