// SPDX-License-Identifier: Apache-2.0
// Every back end, every kind of interface: what the files look like is data
// (rendered/<back end>.txt), and reading them back gives what was asked for.
// FABRIC_ACCEPT=1 rewrites the data.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"
#include "providers/linux/kinds/interface/backends/backend_table.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

// Two ports of one ConnectX-5, and one of a ConnectX-3 as InfiniBand.
struct Hardware {
  Card card;
  Card infiniband;
};

AdapterPort port_of(std::uint32_t number, const std::string& function, const std::string& netdev) {
  AdapterPort port{.number = number, .function = *PciAddress::parse(function)};
  port.netdev = netdev;
  port.netdev_is_ethernet = true;
  return port;
}

Hardware hardware() {
  Hardware all{
      Card{*PciAddress::parse("0000:01:00.0"), 0x1017, {}, {}, {}, {}, {}, {}},
      Card{*PciAddress::parse("0000:41:00.0"), 0x1003, {}, {}, {}, {}, {}, {}}};
  all.card.driver = "mlx5_core";
  all.card.ports.push_back(port_of(1, "0000:01:00.0", "enp1s0f0np0"));
  all.card.ports.push_back(port_of(2, "0000:01:00.1", "enp1s0f1np1"));
  all.infiniband.ports.push_back(port_of(1, "0000:41:00.0", "ibp65s0"));
  all.infiniband.ports.front().netdev_is_ethernet = false;
  return all;
}

struct Case {
  std::string name;
  LinkTarget target;
  LinkConfig config;
};

LinkTarget target_of(const std::string& address, LinkKind kind, const std::string& name) {
  LinkTarget target{.address = *ResourceAddress::parse(address)};
  target.marker = owned_marker(target.address);
  target.kind = kind;
  target.name = name;
  return target;
}

LinkTarget port_target(const Hardware& all, std::uint32_t number) {
  LinkTarget target = target_of(
      fmt::format("pve1/interface/cx5.{}", number),
      LinkKind::port,
      all.card.ports[number - 1].netdev);
  target.card = &all.card;
  target.port = &all.card.ports[number - 1];
  return target;
}

LinkTarget infiniband_target(const Hardware& all) {
  LinkTarget target = target_of("pve1/interface/cx3.1", LinkKind::port, "ibp65s0");
  target.card = &all.infiniband;
  target.port = &all.infiniband.ports[0];
  target.infiniband = true;
  return target;
}

LinkTarget bond_target(const Hardware& all) {
  LinkTarget target = target_of("pve1/bond/bond0", LinkKind::bond, "bond0");
  for (const AdapterPort& port : all.card.ports)
    target.slaves.push_back({fmt::format("cx5.{}", port.number), port.netdev, &all.card, &port});
  return target;
}

LinkTarget vlan_target(const std::string& kind, const std::string& resource, const char* parent) {
  LinkTarget target =
      target_of("pve1/vlan/storage.backup", LinkKind::vlan, fmt::format("{}.100", parent));
  target.parent = parent;
  target.parent_kind = kind;
  target.parent_resource = resource;
  return target;
}

LinkTarget child_target() {
  LinkTarget target = target_of("pve1/ipoib/cx3.1.8005", LinkKind::ipoib_child, "ibp65s0.8005");
  target.parent = "ibp65s0";
  target.parent_kind = "interface";
  target.parent_resource = "cx3.1";
  target.infiniband = true;
  return target;
}

LinkConfig addressed(std::int64_t mtu, std::vector<std::string> addresses) {
  LinkConfig config;
  config.mtu = mtu;
  config.addresses = std::move(addresses);
  return config;
}

BondConfig active_backup() {
  BondConfig bond;
  bond.mode = "active-backup";
  bond.miimon = 100;
  bond.primary = "enp1s0f1np1";
  bond.slaves = {"enp1s0f0np0", "enp1s0f1np1"};
  return bond;
}

BondConfig lacp() {
  BondConfig bond;
  bond.mode = "802.3ad";
  bond.miimon = 100;
  bond.updelay = 200;
  bond.downdelay = 300;
  bond.min_links = 1;
  bond.lacp_rate = "fast";
  bond.hash_policy = "layer3+4";
  bond.slaves = {"enp1s0f0np0", "enp1s0f1np1"};
  return bond;
}

std::vector<Case> cases(const Hardware& all) {
  std::vector<Case> list;
  list.push_back({"static", port_target(all, 1), addressed(9000, {"10.30.0.1/24"})});
  LinkConfig routed = addressed(9000, {"10.30.0.2/24", "10.30.1.2/24", "fd00:30::2/64"});
  routed.gateway = "10.30.0.254";
  routed.gateway6 = "fd00:30::ff";
  routed.routes = {{"10.9.0.0/16", "10.30.0.253"}, {"fd00:9::/32", "fd00:30::fe"}};
  list.push_back({"routed", port_target(all, 2), routed});
  LinkConfig transit = addressed(9000, {"10.40.0.0/31", "10.41.0.1/32"});
  transit.routes = {
      {"10.41.0.3/32", "", 10, 0, "10.41.0.1", {"10.40.0.1", "10.40.0.6"}},
      {"10.41.0.2/32", "10.40.0.1", 20, 0, "10.41.0.1", {}},
      {"10.41.0.2/32", "10.40.0.1", 30, 4001, "", {}}};
  transit.incoming_table = 4001;
  list.push_back({"transit", port_target(all, 2), transit});
  LinkConfig in_ring = addressed(9000, {"10.30.0.2/24"});
  in_ring.source_table = 4502;
  list.push_back({"by-source", port_target(all, 2), in_ring});
  LinkConfig only_mtu;
  only_mtu.mtu = 9000;
  list.push_back({"mtu", port_target(all, 1), only_mtu});
  LinkConfig slave = only_mtu;
  slave.master = "bond0";
  list.push_back({"slave", port_target(all, 1), slave});
  LinkConfig backup = addressed(9000, {"22.22.22.6/24"});
  backup.bond = active_backup();
  list.push_back({"active-backup", bond_target(all), backup});
  LinkConfig aggregated = only_mtu;
  aggregated.bond = lacp();
  list.push_back({"lacp", bond_target(all), aggregated});
  LinkConfig selected = aggregated;
  selected.bond->ad_select = "bandwidth";
  list.push_back({"ad-select", bond_target(all), selected});
  LinkConfig vlan = addressed(9000, {"10.100.0.1/24"});
  vlan.vlan_id = 100;
  list.push_back({"vlan-on-bond", vlan_target("bond", "bond0", "bond0"), vlan});
  list.push_back({"vlan-on-port", vlan_target("interface", "cx5.1", "enp1s0f0"), vlan});
  LinkConfig ipoib = addressed(65520, {"10.40.0.1/24"});
  ipoib.ipoib_mode = "connected";
  list.push_back({"ipoib", infiniband_target(all), ipoib});
  LinkConfig any_mtu = addressed(0, {"10.40.0.1/24"});
  any_mtu.mtu.reset();
  any_mtu.ipoib_mode = "datagram";
  list.push_back({"ipoib-without-mtu", infiniband_target(all), any_mtu});
  LinkConfig of_children;
  of_children.ipoib_mode = "datagram";
  list.push_back({"ipoib-of-children", infiniband_target(all), of_children});
  LinkConfig ipoib_slave;
  ipoib_slave.mtu = 65520;
  ipoib_slave.ipoib_mode = "connected";
  ipoib_slave.master = "ibbond0";
  list.push_back({"ipoib-slave", infiniband_target(all), ipoib_slave});
  LinkConfig ipoib_bond = addressed(65520, {"10.40.0.1/24"});
  ipoib_bond.bond = active_backup();
  ipoib_bond.bond->fail_over_mac = "active";
  ipoib_bond.bond->primary = "ibp65s0";
  ipoib_bond.bond->slaves = {"ibp65s0"};
  LinkTarget of_bond = target_of("pve1/bond/ibbond0", LinkKind::bond, "ibbond0");
  of_bond.infiniband = true;
  of_bond.slaves = {{"cx3.1", "ibp65s0", &all.infiniband, all.infiniband.ports.data()}};
  list.push_back({"ipoib-bond", of_bond, ipoib_bond});
  LinkConfig child = addressed(2044, {"10.41.0.1/24"});
  child.ipoib_mode = "datagram";
  child.pkey = 5;
  list.push_back({"ipoib-child", child_target(), child});
  return list;
}

// Why the provider asks the back end for nothing there.
std::string refusal(const NetworkBackend& backend, const Case& each) {
  if (routes_transit(each.config) && !backend.can_route_transit()) return "no `transit: static`";
  return backend.obstacle(each.target, each.config);
}

std::string rendered(const NetworkBackend& backend, const std::vector<Case>& list) {
  std::string text;
  for (const Case& each : list) {
    text += "##### " + each.name + "\n";
    const std::string obstacle = refusal(backend, each);
    if (!obstacle.empty()) text += "refused: " + obstacle + "\n";
    if (!obstacle.empty()) continue;
    for (const ConfigFile& file : backend.render(each.target, each.config))
      text += "--- " + file.path + "\n" + file.content;
  }
  return text;
}

// What another file says is not read from this one.
LinkConfig as_read(const NetworkBackend& backend, LinkConfig config) {
  const Membership membership = backend.membership();
  if (!membership.in_slave) config.master.clear();
  if (!membership.in_bond && config.bond) config.bond->slaves.clear();
  return config;
}

// Those of the table, and the one whose files only its own program reads as they are.
std::vector<const NetworkBackend*> every_backend() {
  std::vector<const NetworkBackend*> every{&ifupdown2_backend()};
  for (const BackendRow& row : backends())
    every.push_back(&row.files());
  return every;
}

TEST_CASE("the files of every back end are as they were reviewed", "[providers]") {
  const Hardware all = hardware();
  for (const NetworkBackend* backend : every_backend()) {
    INFO(backend->name());
    const std::string path = fmt::format("{}/rendered/{}.txt", FABRIC_TEST_DATA, backend->name());
    const std::string text = rendered(*backend, cases(all));
    if (std::getenv("FABRIC_ACCEPT") != nullptr) std::ofstream{path} << text;
    CHECK(text == remote::test::read_text(path));
  }
}

TEST_CASE("every back end reads back what it wrote", "[providers]") {
  const Hardware all = hardware();
  for (const NetworkBackend* backend : every_backend()) {
    for (const Case& each : cases(all)) {
      if (!refusal(*backend, each).empty()) continue;
      INFO(backend->name() << ": " << each.name);
      FileTexts files;
      const std::vector<std::string> paths = backend->paths(each.target);
      for (const ConfigFile& file : backend->render(each.target, each.config)) {
        CHECK(std::count(paths.begin(), paths.end(), file.path) == 1);
        CHECK(backend->owns(file.content));
        files.emplace(file.path, file.content);
      }
      const auto read = backend->read(each.target, files);
      REQUIRE(read);
      CHECK(
          to_json(attributes_of(*read, each.target)) ==
          to_json(attributes_of(as_read(*backend, each.config), each.target)));
      CHECK(*read == as_read(*backend, each.config));
      CHECK(backend->foreign(each.target, files).empty());
      for (const auto& [path, content] : files) {
        FileTexts torn = files;
        torn.erase(path);
        // What is left out only where it isn't asked for.
        if (path.find(".d/primary-of") != std::string::npos) continue;
        if (path.find("/route") != std::string::npos) continue;
        if (path.find("/rule-") != std::string::npos) continue;
        INFO("without " << path);
        CHECK_FALSE(backend->read(each.target, torn).has_value());
      }
    }
  }
}

// Of a line of a file, whichever back end's.
bool is_rule_by_source(std::string_view line) {
  const std::string_view kRules[] = {
      "From=", "rule add from ", "    - from: ", "routing-rule1=", "from 10.30.0.2 table"};
  return std::any_of(std::begin(kRules), std::end(kRules), [&line](std::string_view rule) {
    return line.find(rule) != std::string_view::npos;
  });
}

TEST_CASE("a rule by source that is of another address is none", "[providers]") {
  const Hardware all = hardware();
  const LinkTarget target = port_target(all, 2);
  LinkConfig config = addressed(9000, {"10.30.0.2/24"});
  config.source_table = 4502;
  for (const NetworkBackend* backend : every_backend()) {
    INFO(backend->name());
    FileTexts files;
    for (const ConfigFile& file : backend->render(target, config)) {
      std::string& text = files[file.path];
      for (const std::string_view line : split_lines(file.content)) {
        std::string written{line};
        const std::size_t at = written.find("10.30.0.2");
        if (is_rule_by_source(line) && at != std::string::npos) written[at + 8] = '9';
        text += written + "\n";
      }
    }
    const auto read = backend->read(target, files);
    REQUIRE(read);
    CHECK(read->addresses == config.addresses);
    CHECK_FALSE(read->source_table.has_value());
  }
}

}  // namespace
}  // namespace fabric::providers
