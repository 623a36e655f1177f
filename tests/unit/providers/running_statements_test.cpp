// SPDX-License-Identifier: Apache-2.0
// What runs at an interface and no foreign file says, and what a template of ifupdown2 decides.
#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/link_statements.hpp"

#include "tests/unit/providers/statements_fixture.hpp"

namespace fabric::providers {
namespace {

namespace bonding = test::bonding;
using test::kPort;
using test::name;
using test::Of;
using test::wanted;

TEST_CASE("what runs and no file says is a statement too", "[providers]") {
  bonding::Node node;
  node.links = bonding::link(
      "bond0",
      {"mtu:9000",
       "type:1",
       "bonding/mode:802.3ad 4",
       "bonding/slaves:enp1s0f0np0 enp1s0f1np1",
       "bonding/miimon:100",
       "bonding/xmit_hash_policy:layer3+4 1",
       "bonding/min_links:2",
       "bonding/lacp_rate:slow 0"});
  node.ip = R"([{"ifname":"bond0","mtu":9000,"flags":["UP"],"addr_info":[)"
            R"({"family":"inet","local":"10.99.0.1","prefixlen":24,"scope":"global"}]}])";
  const NodeFacts facts = node.facts();
  const Resource bond = wanted(Of::bond);
  const FoundLink link = find_link(bond, inventory_of(facts), running_links(facts));
  std::vector<std::string> found;
  for (const Statement& each : link_statements(bond, link, networkd_backend(), {}, facts))
    found.push_back(statement_text(each) + ": " + name(each.said) + ": " + each.instead);
  CHECK(
      found == std::vector<std::string>{
                   "running `address 10.99.0.1/24`: sayable: networks: {storage: {ipv4: {subnet: "
                   "\"10.99.0.0/24\", addresses: {pve1: \"10.99.0.1\"}}}}",
                   "running `mtu 9000`: said: ",
                   "running `min_links 2`: sayable: networks: {storage: {lag: {min_links: 2}}}",
                   "running `hash_policy layer3+4`: sayable: networks: {storage: {lag: "
                   "{hash_policy: layer3+4}}}"});
  CHECK(
      running_beyond(bond, link, {}, facts) ==
      std::set<std::string>{"addresses", "hash_policy", "min_links"});
}

// What a person, a script or another program does to an interface without any file.
constexpr const char* kRules =
    R"([{"priority":0,"src":"all","table":"local"},)"
    R"({"priority":90,"src":"10.30.0.0","srclen":24,"fwmark":"0x1","table":"9"},)"
    R"({"priority":100,"src":"10.30.0.1","table":"7"},)"
    R"({"priority":110,"src":"all","iif":"enp1s0f0np0","table":"blue"},)"
    R"({"priority":120,"src":"all","dst":"10.9.0.0","dstlen":16,"table":"8"},)"
    R"({"priority":130,"src":"10.31.0.1","table":"6"},)"
    R"({"priority":4501,"src":"10.30.0.1","table":"4501"},)"
    R"({"priority":32766,"src":"all","table":"main"}])"
    "\n"
    R"([{"table":8,"routes":[{"dst":"default","gateway":"10.30.0.254","dev":"enp1s0f0np0"}]}])"
    "\n"
    R"([{"table":6,"routes":[{"dst":"default","gateway":"10.31.0.254","dev":"eno1"}]}])"
    "\n"
    R"([{"ipv6_rules":[{"priority":0,"src":"all","table":"local"},)"
    R"({"priority":100,"src":"fd00::1","table":"7"}]}])"
    "\n";

bonding::Node used_by_hand() {
  bonding::Node node;
  node.links = bonding::link("enp1s0f0np0", {"mtu:9000", "tc:clsact"});
  node.ip =
      R"([{"ifname":"enp1s0f0np0","mtu":9000,"qdisc":"htb","xdp":{"mode":1},"flags":["UP"],"addr_info":[)"
      R"({"family":"inet","local":"10.30.0.1","prefixlen":24,"scope":"global"},)"
      R"({"family":"inet6","local":"fd00::1","prefixlen":64,"scope":"global"}]}])";
  node.rules = kRules;
  return node;
}

TEST_CASE("rules, shapers, filters and programs of nobody's file are statements", "[providers]") {
  const Resource port = wanted(Of::port);
  const auto said = [&](const std::string& path, const std::string& content) {
    bonding::Node node = used_by_hand();
    if (!path.empty()) node.files = bonding::as_files(path, content);
    const NodeFacts facts = node.facts();
    const FoundLink link = find_link(port, inventory_of(facts), running_links(facts));
    const NetworkBackend& backend = ifupdown_backend();
    std::vector<std::string> texts;
    for (const Statement& each : link_statements(
             port, link, backend, backend.foreign(link.target, network_files(facts)), facts)) {
      if (each.kind == "running" && each.said == StatementClass::not_sayable)
        texts.push_back(each.key + " " + each.value);
    }
    return texts;
  };
  const std::vector<std::string> all{
      "filter clsact",
      "qdisc htb",
      "rule from 10.30.0.0/24 fwmark 0x1 lookup 9 priority 90",
      "rule from 10.30.0.1 lookup 7 priority 100",
      "rule from all iif enp1s0f0np0 lookup blue priority 110",
      "rule from all to 10.9.0.0/16 lookup 8 priority 120",
      "rule -6 from fd00::1 lookup 7 priority 100",
      "route default via 10.30.0.254 table 8",
      "xdp xdp"};
  CHECK(said("", "") == all);
  // Lines of files that stay make it again; those that are taken over are statements themselves.
  for (const char* file :
       {"iface eno1 inet dhcp\n    up ip rule add from 10.30.0.1 lookup 7\n",
        "iface enp1s0f0np0 inet manual\n    up ip rule add from 10.30.0.1 lookup 7\n"}) {
    std::vector<std::string> rest = all;
    std::erase(rest, "rule from 10.30.0.1 lookup 7 priority 100");
    CHECK(said("/etc/network/interfaces", file) == rest);
  }
  CHECK(said("/etc/network/interfaces", "#iface x\n#up ip rule add from 10.30.0.1\n") == all);
  std::vector<std::string> rest = all;
  std::erase(rest, "qdisc htb");
  std::erase(rest, "filter clsact");
  CHECK(
      said(
          "/etc/network/interfaces",
          "iface eno1 inet dhcp\n    up tc qdisc add dev enp1s0f0np0 root htb\n") == rest);
}

TEST_CASE("what a template of ifupdown2 decides is not sayable, and named", "[providers]") {
  const auto found = [](const std::string& content) {
    bonding::Node node;
    node.files = bonding::as_files("/etc/network/interfaces", content);
    const NodeFacts facts = node.facts();
    const Resource port = wanted(Of::port);
    const FoundLink link = find_link(port, inventory_of(facts), running_links(facts));
    const auto entries = ifupdown2_backend().foreign(link.target, network_files(facts));
    std::vector<std::string> texts;
    for (const ForeignEntry& each : entries)
      texts.push_back(each.not_adoptable.empty() ? "adoptable" : "refused");
    for (const Statement& each : link_statements(port, link, ifupdown2_backend(), entries, facts)) {
      if (each.kind == "interfaces") texts.push_back(statement_text(each) + " " + name(each.said));
    }
    return texts;
  };
  using Texts = std::vector<std::string>;
  const auto at = [](std::size_t line, const std::string& words) {
    return "/etc/network/interfaces:" + std::to_string(line) + " `" + words + "` not";
  };
  CHECK(
      found("iface enp1s0f0np0 inet static\n  address 10.30.0.1/24\n%if big:\n  mtu "
            "9000\n%endif\n") == Texts{
                                     "refused",
                                     at(1, "inet static"),
                                     at(2, "address 10.30.0.1/24"),
                                     at(3, "% %if big:"),
                                     at(4, "mtu 9000")});
  CHECK(
      found("%for i in range(0, 2):\niface enp1s0f${i}np${i} inet manual\n  mtu 9000\n%endfor\n") ==
      Texts{"refused", at(2, "inet manual"), at(3, "mtu 9000")});
  CHECK(
      found("%if storage:\niface enp1s0f0np0 inet manual\n  mtu 9000\n%endif\n") ==
      Texts{"refused", at(2, "inet manual"), at(3, "mtu 9000")});
  CHECK(
      found(
          "<%def name=\"rail()\">\niface enp1s0f0np0 inet manual\n  mtu 9000\n</%def>\n${rail()}\n")
          .front() == "refused");
  // Behind the end of a template a file is as any other.
  CHECK(
      found(
          "<%\nrails = [1, 2]\n%>\n%for i in rails:\nauto swp${i}\n%endfor\n"
          "iface enp1s0f0np0 inet static\n  address ${ip}/24\n  mtu 9000\n  up echo ${IFACE}\n") ==
      Texts{
          "adoptable",
          "/etc/network/interfaces:7 `inet static` said",
          at(8, "address ${ip}/24"),
          "/etc/network/interfaces:9 `mtu 9000` said",
          at(10, "up echo ${IFACE}")});
}

}  // namespace
}  // namespace fabric::providers
