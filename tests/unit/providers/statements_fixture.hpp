// SPDX-License-Identifier: Apache-2.0
// What a foreign file says of a port, a slave, a bond or a VLAN, and the class of each statement.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/foreign_entries.hpp"
#include "providers/linux/kinds/interface/link_statements.hpp"

#include "tests/unit/providers/bond_fixture.hpp"

namespace fabric::providers::test {

inline constexpr const char* kPort = "enp1s0f0np0";

// Of whom a file speaks.
enum class Of { port, slave, bond, vlan, infiniband };

inline Resource wanted(Of of) {
  const Map port{
      {"port", 1}, {"backend", "auto"}, {"network", "storage"}, {"adopt", true}, {"vfs", 4}};
  if (of == Of::port)
    return resource(
        "pve1/interface/cx5.1",
        adapter_binding(port),
        {{"mtu", 9000}, {"addresses", List{"10.30.0.1/24"}}});
  if (of == Of::slave) {
    Resource slave = bonding::slave(1);
    slave.binding.emplace("network", "storage");
    slave.binding.emplace("adopt", true);
    return slave;
  }
  if (of == Of::vlan) {
    Resource vlan = bonding::vlan();
    vlan.binding.emplace("network", "storage");
    vlan.binding.emplace("adopt", true);
    return vlan;
  }
  Resource bond = bonding::bond({{"mode", "802.3ad"}, {"miimon", 100}, {"lacp_rate", "slow"}});
  bond.binding.emplace("adopt", true);
  bond.binding.emplace("vlans", List{100});
  return bond;
}

inline std::string name_of(Of of) {
  if (of == Of::bond) return "bond0";
  return of == Of::vlan ? "bond0.100" : kPort;
}

struct Row {
  Of of;
  const char* key;
  const char* value;
  const char* expected;  // "" = not
};

inline std::string expected(const Row& row) {
  return row.expected[0] == '\0' ? "not" : row.expected;
}

struct Format {
  const NetworkBackend& backend;
  std::string path;
};

// `node.files` beside that of the format.
inline std::vector<Statement> statements(
    const Format& format,
    const Resource& resource,
    const std::string& content,
    bonding::Node node = {}) {
  node.files += bonding::as_files(format.path, content);
  const NodeFacts facts = node.facts();
  const FoundLink link = find_link(resource, inventory_of(facts), running_links(facts));
  REQUIRE(link.why.empty());
  const std::vector<ForeignEntry> entries =
      foreign_entries(link, format.backend, network_files(facts));
  REQUIRE_FALSE(entries.empty());
  std::vector<Statement> all = link_statements(resource, link, format.backend, entries, facts);
  std::erase_if(all, [](const Statement& each) { return each.kind == "running"; });
  return all;
}

inline std::vector<Statement> statements(
    const Format& format, Of of, const std::string& content, bonding::Node node = {}) {
  return statements(format, wanted(of), content, std::move(node));
}

inline const char* name(StatementClass of) {
  if (of == StatementClass::said) return "said";
  if (of == StatementClass::said_otherwise) return "otherwise";
  return of == StatementClass::sayable ? "sayable" : "not";
}

// "not", or "sayable: mtu: 9000": the worst of all statements with this key.
inline std::string class_of(const std::vector<Statement>& all, const std::string& key) {
  const Statement* worst = nullptr;
  for (const Statement& each : all) {
    if (each.key == key && (worst == nullptr || worst->said < each.said)) worst = &each;
  }
  if (worst == nullptr) return "nothing is known of " + key;
  const bool shown = !worst->instead.empty();
  return std::string{name(worst->said)} + (shown ? ": " + worst->instead : std::string{});
}

}  // namespace fabric::providers::test
