// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/providers/interface_fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

TEST_CASE("what runs is read from ip, link-local addresses aside", "[providers]") {
  Node node;
  node.ip = ip_addr(9000, inet("10.30.0.10", 24) + inet("10.30.0.2", 24));
  // One of the two is somebody's.
  const auto observation =
      observe_one(kProvider, port(2, {{"adopt", List{"running address"}}}), node.facts());
  CHECK(layers(observation, "mtu") == "9000 | - | absent");
  CHECK(layers(observation, "addresses") == "[10.30.0.2/24, 10.30.0.10/24] | - | absent");
}

TEST_CASE("an interface that is down has no addresses in force", "[providers]") {
  Node node;
  node.ip = ip_addr(9000, inet("10.30.0.2", 24), "\"BROADCAST\"");
  CHECK(layers(observe_one(kProvider, port(2), node.facts()), "addresses") == "[] | - | absent");
}

TEST_CASE("old iproute2 and no iproute2 are read as far as they go", "[providers]") {
  Node node;
  node.ip =
      "1: lo    inet 127.0.0.1/8 scope host lo\n"
      "4: enp1s0f1np1    inet 10.30.0.2/24 brd 10.30.0.255 scope global enp1s0f1np1\\       "
      "valid_lft forever\n"
      "4: enp1s0f1np1    inet6 fe80::1/64 scope link \\       valid_lft forever preferred_lft "
      "forever\n";
  auto observation = observe_one(kProvider, port(2), node.facts());
  CHECK(layers(observation, "mtu") == "1500 | - | absent");
  CHECK(layers(observation, "addresses") == "[10.30.0.2/24] | - | absent");
  NodeFacts without = node.facts();
  without.probes["ip-addr"] = {"", 127, "", "sh: ip: not found\n"};
  observation = observe_one(kProvider, port(2), without);
  CHECK(layers(observation, "mtu") == "1500 | - | absent");
  CHECK(
      layers(observation, "addresses") ==
      "unknown (`ip` did not print the addresses) | - | absent");
}

TEST_CASE("a port that is not Ethernet yet has no interface to run anything", "[providers]") {
  const auto observation = observe_one(kProvider, port(1), Node{}.facts());
  CHECK(layers(observation, "mtu") == "absent | - | absent");
  CHECK(layers(observation, "addresses") == "absent | - | absent");
}

TEST_CASE("a networkd file is by PCI path, and is read back as it was written", "[providers]") {
  const Node node;
  const Work work = work_of(kProvider, port(2), node.facts());
  // One action, so that the node can roll back both together.
  REQUIRE(work.actions.size() == 1);
  const ActionDraft& write = work.actions[0];
  CHECK(write.kind == "network.activate");
  CHECK(write.may_cut_off);
  REQUIRE(write.steps.writes().size() == 1);
  CHECK(write.steps.writes()[0].path == kNetworkPath);
  CHECK(without_record(write.steps.writes()[0].content) == kNetworkFile);
  CHECK(
      write.postconditions ==
      std::vector<Condition>{
          {port(2).address, "addresses", Layer::persistent, List{"10.30.0.2/24"}},
          {port(2).address, "mtu", Layer::persistent, 9000},
          {port(2).address, "addresses", Layer::running, List{"10.30.0.2/24"}},
          {port(2).address, "mtu", Layer::running, 9000}});
  CHECK(write.undo.removes() == std::vector<std::string>{kNetworkPath});
  CHECK(write.stage == Stage::activate);
  CHECK(write.disruption == Disruption::link);
  CHECK(commands_of(write) == "networkctl reload\nnetworkctl reconfigure enp1s0f1np1\n");
  CHECK(
      write.undo.commands() ==
      std::vector<remote::Argv>{
          {"networkctl", "reload"},
          {"ip", "address", "flush", "dev", "enp1s0f1np1", "scope", "global"},
          {"networkctl", "reconfigure", "enp1s0f1np1"},
          {"ip", "link", "set", "dev", "enp1s0f1np1", "mtu", "1500"}});

  Node done = node;
  done.files = as_files(kNetworkPath, write.steps.writes()[0].content);
  done.ip = ip_addr(9000, inet("10.30.0.2", 24));
  const auto observation = observe_one(kProvider, port(2), done.facts());
  CHECK(layers(observation, "mtu") == "9000 | - | 9000");
  CHECK(layers(observation, "addresses") == "[10.30.0.2/24] | - | [10.30.0.2/24]");
}

TEST_CASE("a default route of ours that the document drops has to be gone", "[providers]") {
  const auto wants_it_gone = [](const std::string& running) {
    Node node;
    std::string file = kNetworkFile;
    file.insert(file.find("LinkLocal"), "Gateway=10.30.0.254\n");
    node.files = as_files(kNetworkPath, file);
    node.ip = ip_addr(9000, inet("10.30.0.2", 24));
    NodeFacts facts = node.facts();
    facts.probes["ip-route"].standard_output =
        R"([{"dst":"default","gateway":")" + running + R"(","dev":"enp1s0f1np1"}])" + "\n[]\n";
    Resource wanted = port(2);
    wanted.desired.emplace("gateway", DesiredAttribute{Value{}, {}, "nobody asks for it"});
    const Work work = work_of(kProvider, wanted, facts);
    const auto& after = work.actions.at(0).postconditions;
    return std::find(
               after.begin(),
               after.end(),
               Condition{wanted.address, "gateway", Layer::running, Value{}}) != after.end();
  };
  CHECK(wants_it_gone("10.30.0.254"));
  // Somebody else's.
  CHECK_FALSE(wants_it_gone("10.30.0.1"));
}

TEST_CASE("what a planned boot activates is not activated before it", "[providers]") {
  const Work work = work_of(kProvider, port(1), Node{}.facts(), true);
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].kind == "network.write");
  CHECK(
      work.actions[0].steps.writes()[0].content.find("Path=pci-0000:01:00.0\n") !=
      std::string::npos);
  // The boot makes it run, and so it is the boot that is guarded.
  CHECK(work.actions[0].stage == Stage::prepare);
  CHECK(work.actions[0].may_cut_off);
  // What is rolled back after that boot has what the boot gave it, and networkd would leave it
  // there.
  const std::vector<remote::Argv> undo = work.actions[0].undo.commands();
  REQUIRE(undo.size() == 2);
  CHECK(undo[0].at(2).find("ip address flush dev") != std::string::npos);
  CHECK(undo[0].at(4) == "0000:01:00.0");
  CHECK(undo[1] == remote::Argv{"systemctl", "restart", "systemd-networkd"});
}

TEST_CASE("a port that no planned boot makes Ethernet is refused", "[providers]") {
  const NodeFacts facts = Node{}.facts();
  const Resource wanted = port(1);
  const Observation observation = observe_one(kProvider, wanted, facts);
  const auto work = kProvider.work(
      change_of(kProvider, facts, wanted, observation), WorkContext{facts, observation, false});
  REQUIRE_FALSE(work);
  CHECK(
      work.error().message.find("port 1 of card 0000:01:00.0 is no Ethernet interface") !=
      std::string::npos);
}

TEST_CASE(
    "a file that is right while the interface is not is only activated, and the other way round",
    "[providers]") {
  Node node;
  node.files = as_files(kNetworkPath, kNetworkFile);
  Work work = work_of(kProvider, port(2), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].kind == "network.activate");
  node.files = as_files(
      kNetworkPath,
      "# managed by fabric: "
      "pve1/interface/cx5.2\n[Match]\nPath=pci-0000:01:00.1\nType=ether\n[Link]\nMTUBytes=1500\n");
  node.ip = ip_addr(9000, inet("10.30.0.2", 24));
  CHECK(layers(observe_one(kProvider, port(2), node.facts()), "mtu") == "9000 | - | 1500");
  work = work_of(kProvider, port(2), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].kind == "network.write");
  REQUIRE(work.actions[0].undo.writes().size() == 1);
  CHECK(work.actions[0].undo.writes()[0].content.find("MTUBytes=1500\n") != std::string::npos);
}

TEST_CASE("a file that nobody has confirmed is rolled back to what runs", "[providers]") {
  Node node;
  const Work first = work_of(kProvider, port(2), node.facts());
  const remote::step::WriteFile written = first.actions.at(0).steps.writes().at(0);
  // Whoever wrote it got no further.
  node.files = as_files(written.path, written.content);
  SECTION("where nothing runs it goes") {
    const Work work = work_of(kProvider, port(2), node.facts());
    REQUIRE(work.actions.size() == 1);
    CHECK(work.actions[0].steps.writes().empty());
    CHECK(work.actions[0].undo.removes() == std::vector<std::string>{kNetworkPath});
    CHECK(work.actions[0].undo.writes().empty());
  }
  SECTION("where another address runs, the file comes to say that") {
    node.ip = ip_addr(1500, inet("10.30.0.9", 24));
    const Work work = work_of(kProvider, port(2), node.facts());
    REQUIRE(work.actions.size() == 1);
    CHECK(work.actions[0].undo.removes().empty());
    REQUIRE(work.actions[0].undo.writes().size() == 1);
    const std::string undo = work.actions[0].undo.writes()[0].content;
    CHECK(undo.find("MTUBytes=1500\n") != std::string::npos);
    CHECK(undo.find("Address=10.30.0.9/24\n") != std::string::npos);
    CHECK(undo.find("10.30.0.2") == std::string::npos);
  }
  SECTION("a file by name comes to say the name that it has now") {
    node.backends = kIfupdown;
    node.files = kSourced;
    const Resource named = port(2, {{"name", "cut0"}});
    const auto stanza =
        work_of(kProvider, named, node.facts(), true).actions.at(0).steps.writes().at(0);
    CHECK(stanza.content.find("iface cut0 inet static\n") != std::string::npos);
    node.files += as_files(stanza.path, stanza.content);
    node.ip = ip_addr(1500, inet("10.30.0.9", 24));
    const Work work = work_of(kProvider, named, node.facts(), true);
    const std::string undo = work.actions.at(0).undo.writes().at(0).content;
    CHECK(undo.find("auto enp1s0f1np1\niface enp1s0f1np1 inet static\n") != std::string::npos);
    CHECK(undo.find("cut0\n") == std::string::npos);
  }
  SECTION("a boot that activates it is guarded, though nothing is left to be written") {
    const Work work = work_of(kProvider, port(2), node.facts(), true);
    REQUIRE(work.actions.size() == 1);
    CHECK(work.actions[0].stage == Stage::activate);
    CHECK(work.actions[0].may_cut_off);
    CHECK(work.actions[0].undo.removes() == std::vector<std::string>{kNetworkPath});
    CHECK_FALSE(work.actions[0].undo.commands().empty());
  }
  SECTION("what runs as it says needs none of that") {
    node.ip = ip_addr(9000, inet("10.30.0.2", 24));
    const auto observation = observe_one(kProvider, port(2), node.facts());
    CHECK(layers(observation, "mtu") == "9000 | - | 9000");
  }
}

TEST_CASE("a file of ours that matches another slot makes nothing of this port", "[providers]") {
  Node node;
  std::string moved = kNetworkFile;
  moved.replace(moved.find("01:00.1"), 7, "02:00.1");
  node.files = as_files(kNetworkPath, moved);
  CHECK(layers(observe_one(kProvider, port(2), node.facts()), "mtu") == "1500 | - | absent");
}

TEST_CASE("IPv6 addresses keep the link-local one that they need", "[providers]") {
  const Work work = work_of(
      kProvider, port(2, {}, {{"addresses", List{"10.30.0.2/24", "fd00::2/64"}}}), Node{}.facts());
  const std::string content = work.actions.at(0).steps.writes().at(0).content;
  CHECK(content.find("Address=fd00::2/64\nLinkLocalAddressing=ipv6\n") != std::string::npos);
  CHECK(content.find("MTUBytes") == std::string::npos);
}

TEST_CASE("two ports behind one function are matched by their burnt-in address", "[providers]") {
  Node node;
  node.pci = fixture("pci-cx3.txt");
  const Map cx3{{"device_ids", List{0x1003}}, {"model", "connectx-3-vpi"}};
  const Work work = work_of(kProvider, port(2, cx3), node.facts(), true);
  CHECK(
      work.actions.at(0).steps.writes().at(0).content.find(
          "[Match]\nPermanentMACAddress=24:8a:07:11:22:34\nType=ether\n") != std::string::npos);
  // Of one that is InfiniBand yet nobody knows that address: it is named, and matched by its name.
  const Work named = work_of(kProvider, port(1, cx3), node.facts(), true);
  const auto writes = named.actions.at(0).steps.writes();
  REQUIRE(writes.size() == 2);
  CHECK(writes[0].content.find("[Match]\nName=encx5p1\n") != std::string::npos);
  CHECK(writes[1].path == "/etc/udev/rules.d/70-fabric-cx5.1-given.rules");
  CHECK(
      writes[1].content.find("ATTR{dev_port}==\"0\", ATTR{type}==\"1\", NAME=\"encx5p1\"") !=
      std::string::npos);
}

TEST_CASE(
    "a foreign networkd file is a finding if it names the port or wins over ours", "[providers]") {
  const auto with = [](const std::string& path, const std::string& match) {
    Node node;
    node.files = as_files(path, "# by hand\n[Match]\n" + match + "\n[Network]\nDHCP=yes\n");
    return findings(port(2), node.facts());
  };
  const std::string later = "/etc/systemd/network/50-x.network";
  const std::string earlier = "/run/systemd/network/05-x.network";
  CHECK(
      with(later, "Name=enp1s0f1np1") ==
      "error foreign-configuration: pve1: " + later +
          ":3 configures enp1s0f1np1 already, and fabric did not write it\n");
  CHECK_FALSE(with(later, "Name=eth0 enp1s0f1np1").empty());
  // A backslash goes on in the next line that is no comment (systemd.syntax(7)).
  CHECK_FALSE(with(later, "Name=eth0 \\\n  enp1s0f1np1").empty());
  CHECK_FALSE(with(later, "Name=eth0 \\\n; not this\n  enp1s0f1np1").empty());
  CHECK(with(later, "Name=eth0 \\\\\nDescription=enp1s0f1np1").empty());
  CHECK_FALSE(with(later, "MACAddress=0C:42:A1:8C:51:A9").empty());
  CHECK_FALSE(with(later, "Path=pci-0000:01:00.1").empty());
  CHECK(with(later, "Name=en*").empty());
  CHECK_FALSE(with(earlier, "Name=en*").empty());
  CHECK_FALSE(with(earlier, "Type=ether").empty());
  CHECK(with(earlier, "Type=wlan").empty());
  CHECK(with(earlier, "Name=!enp1s0f1np1").empty());
  CHECK(with(earlier, "Name=en*\nDriver=virtio_net").empty());
  CHECK(with(later, "Name=eno1").empty());
  CHECK(with("/etc/systemd/network/05-x.link", "Name=enp1s0f1np1").empty());
  CHECK_FALSE(with(kNetworkPath, "Name=enp1s0f1np1").empty());
}

TEST_CASE("a removal takes the file away", "[providers]") {
  Node node;
  node.files = as_files(kNetworkPath, kNetworkFile);
  const NodeFacts facts = node.facts();
  const Resource gone = port(2);
  const Observation observation = observe_one(kProvider, gone, facts);
  Change change = change_of(kProvider, facts, gone, observation);
  change.kind = ChangeKind::remove;
  for (AttributeChange& attribute : change.attributes)
    attribute.write = true;
  const auto work = kProvider.work(change, WorkContext{facts, observation, true});
  REQUIRE(work);
  CHECK(work->actions.at(0).steps.removes() == std::vector<std::string>{kNetworkPath});
  CHECK(work->actions.at(0).undo.writes().at(0).content == kNetworkFile);
  // Now, and not by a boot: its addresses are to be gone.
  const auto now = kProvider.work(change, WorkContext{facts, observation, false});
  REQUIRE(now);
  CHECK(
      now->actions.at(0).postconditions.back() ==
      Condition{gone.address, "addresses", Layer::running, List{}});
  // But where what is for any port takes it then.
  node.files += as_files("/etc/systemd/network/80-dhcp.network", "[Match]\nName=en*\n");
  const NodeFacts dhcp = node.facts();
  const auto taken = kProvider.work(change, WorkContext{dhcp, observation, false});
  REQUIRE(taken);
  CHECK(taken->actions.at(0).postconditions.back().layer == Layer::persistent);
}

}  // namespace
}  // namespace fabric::providers
