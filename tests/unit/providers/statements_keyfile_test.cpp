// SPDX-License-Identifier: Apache-2.0
// What its rows can't show of a format: several lines, several files.
#include <fmt/format.h>

#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/link_statements.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"

#include "tests/unit/providers/rows/keyfile.hpp"

namespace fabric::providers {

namespace {

using namespace test;

TEST_CASE("every key of nm-settings-keyfile(5) has a class", "[providers]") {
  for (const Row& row : kKeyfileRows) {
    const std::string key = row.key;
    const std::size_t dot = key.find('.');
    const char* type = row.of == Of::bond ? "bond" : row.of == Of::vlan ? "vlan" : "ethernet";
    const std::string content = "[connection]\nid=theirs\ntype=" + std::string{type} +
                                "\ninterface-name=" + name_of(row.of) + "\n[" + key.substr(0, dot) +
                                "]\n" + key.substr(dot + 1) + "=" + row.value + "\n";
    INFO(content);
    const Format format{
        keyfile_backend(), "/etc/NetworkManager/system-connections/theirs.nmconnection"};
    const std::string shown =
        key.starts_with("802-3-ethernet") ? "ethernet" + key.substr(dot) : key;
    CHECK(class_of(statements(format, row.of, content), shown) == expected(row));
  }
}

TEST_CASE("an address of an older keyfile has its gateway too", "[providers]") {
  const std::string content =
      "[connection]\nid=theirs\ntype=ethernet\ninterface-name=enp1s0f0np0\n"
      "[ipv4]\naddress1=10.30.0.1;24;10.30.0.254;\n";
  const Format format{
      keyfile_backend(), "/etc/NetworkManager/system-connections/theirs.nmconnection"};
  const std::vector<Statement> all = statements(format, Of::port, content);
  CHECK(std::count_if(all.begin(), all.end(), [](const Statement& each) {
          return each.key == "ipv4.address1" && each.said == StatementClass::sayable &&
                 each.instead.find("gateway: \"10.30.0.254\"") != std::string::npos;
        }) == 1);
}

TEST_CASE("profiles that name others by UUID mean their interfaces", "[providers]") {
  const std::string folder = "/etc/NetworkManager/system-connections/";
  const FileTexts files{
      {folder + "bond.nmconnection",
       "[connection]\nid=b\nuuid=1111\ntype=bond\ninterface-name=bond0\n"},
      {folder + "port.nmconnection", "[connection]\nid=p\ntype=ethernet\nmaster=1111\n"},
      {folder + "vlan.nmconnection",
       "[connection]\nid=v\ntype=vlan\n[vlan]\nid=300\nparent=1111\n"}};
  const auto meaning = [&](const char* file, std::string_view attribute) -> std::string {
    for (const FileStatement& each : keyfile_statements({folder + file}, files))
      if (each.attribute == attribute) return each.meaning;
    return "none";
  };
  CHECK(meaning("port.nmconnection", said::kMaster) == "bond0");
  CHECK(meaning("vlan.nmconnection", "parent") == "bond0");
  CHECK(meaning("bond.nmconnection", said::kChildren) == "300 ");
  CHECK(meaning("port.nmconnection", said::kChildren) == "none");
}

}  // namespace

}  // namespace fabric::providers
