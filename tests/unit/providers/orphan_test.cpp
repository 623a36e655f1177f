// SPDX-License-Identifier: Apache-2.0
// What the document does not ask for any more: known again by our files, and taken away.
#include "engine/provider/orphan.hpp"

#include "engine/platform/owned_file.hpp"
#include "providers/builtin.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/interface_fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

std::string path_of(int number) {
  return "/etc/systemd/network/10-fabric-cx5." + std::to_string(number) + ".network";
}

// As the provider wrote it for a document that had it.
std::string written(const Resource& resource) {
  const Work work = work_of(kProvider, resource, Node{}.facts());
  return work.actions.at(0).steps.writes().at(0).content;
}

Node with_file(const Resource& resource, int number = 2) {
  Node node;
  node.ip = ip_addr(9000, inet("10.30.0.2", 24));
  node.files = as_files(path_of(number), written(resource));
  return node;
}

std::vector<std::string> names(const Resource& resource) {
  std::vector<std::string> names;
  for (const auto& [name, desired] : resource.desired)
    names.push_back(name);
  return names;
}

TEST_CASE("a file of ours that nobody asks for gives its resource back", "[providers]") {
  const NodeFacts facts = with_file(port(2)).facts();
  const std::vector<Resource> left = kProvider.orphans({}, facts);
  REQUIRE(left.size() == 1);
  CHECK(left[0].address.str() == "pve1/interface/cx5.2");
  CHECK(left[0].binding == port(2).binding);
  CHECK(names(left[0]) == std::vector<std::string>{"addresses", "mtu"});
  const Resource wanted = port(2);
  CHECK(kProvider.orphans({&wanted, 1}, facts).empty());
}

TEST_CASE("an attribute that nobody asks for any more is left behind alone", "[providers]") {
  const Resource wanted = port(2, {}, {{"addresses", List{"10.30.0.2/24"}}});
  const std::vector<Resource> left = kProvider.orphans({&wanted, 1}, with_file(port(2)).facts());
  REQUIRE(left.size() == 1);
  CHECK(names(left[0]) == std::vector<std::string>{"mtu"});
  const std::vector<Resource> all = with_orphans({wanted}, left, Registry{});
  REQUIRE(all.size() == 1);
  CHECK(names(all[0]) == std::vector<std::string>{"addresses", "mtu"});
  CHECK(all[0].desired.at("mtu").value.is_null());
  CHECK_FALSE(is_orphan(all[0]));
}

TEST_CASE("foreign files, broken records and other kinds leave nothing behind", "[providers]") {
  const std::string content = written(port(2));
  const auto left = [](const std::string& text) {
    Node node;
    node.files = as_files(path_of(2), text);
    return kProvider.orphans({}, node.facts()).size();
  };
  CHECK(left(content) == 1);
  CHECK(left("# by hand\n" + content) == 0);
  CHECK(left("# managed by fabric: pve1/interface/cx5.2\n[Match]\n") == 0);
  CHECK(left("# managed by fabric: pve1/interface/cx5.2\n# resource: {\"attributes\":[") == 0);
  CHECK(left("# managed by fabric: pve1/interface/cx5.2\n# resource: [1]\n") == 0);
  CHECK(left("# managed by fabric: nothing\n# resource: {\"attributes\":[\"mtu\"]}\n") == 0);
  CHECK(left("# managed by fabric: pve1/vlan/a\n# resource: {\"attributes\":[\"mtu\"]}\n") == 0);
}

TEST_CASE("a node that had another name then owns what is on it", "[providers]") {
  std::string content = written(port(2));
  content.replace(content.find("pve1/"), 5, "old1/");
  Node node;
  node.files = as_files(path_of(2), content);
  const std::vector<Resource> left = kProvider.orphans({}, node.facts());
  REQUIRE(left.size() == 1);
  CHECK(left[0].address.str() == "pve1/interface/cx5.2");
}

TEST_CASE("a port that is called something else now keeps what runs", "[providers]") {
  Resource renamed = port(2);
  renamed.address = *ResourceAddress::parse("pve1/interface/card.2");
  const NodeFacts facts = with_file(port(2)).facts();
  const std::vector<Resource> left = kProvider.orphans({&renamed, 1}, facts);
  REQUIRE(left.size() == 1);
  CHECK(kProvider.disruption(facts, left[0], "mtu") == Disruption::none);
  Diagnostics diagnostics;
  const Observation observation = observe_one(kProvider, left[0], facts, diagnostics);
  Change change = change_of(kProvider, facts, left[0], observation);
  change.kind = ChangeKind::remove;
  const auto removal = kProvider.work(change, WorkContext{facts, observation, false});
  REQUIRE(removal);
  REQUIRE(removal->actions.size() == 1);
  CHECK(removal->actions[0].steps.removes() == std::vector<std::string>{path_of(2)});
  CHECK(removal->actions[0].steps.commands().empty());
}

TEST_CASE(
    "a removal releases the interface, also where somebody else stands in the way", "[providers]") {
  Node node = with_file(port(2));
  node.files += as_files(
      "/etc/systemd/network/50-x.network",
      "# by hand\n[Match]\nName=enp1s0f1np1\n[Network]\nDHCP=yes\n");
  const NodeFacts facts = node.facts();
  const std::vector<Resource> left = kProvider.orphans({}, facts);
  REQUIRE(left.size() == 1);
  Resource gone = left[0];
  CHECK(is_orphan(gone));
  const Observation observation = observe_one(kProvider, gone, facts);
  CHECK(layers(observation, "addresses") == "[10.30.0.2/24] | - | [10.30.0.2/24]");
  Change change = change_of(kProvider, facts, gone, observation);
  change.kind = ChangeKind::remove;
  const auto work = kProvider.work(change, WorkContext{facts, observation, false});
  REQUIRE(work);
  CHECK(work->actions.at(0).steps.removes() == std::vector<std::string>{path_of(2)});
  CHECK(
      work->actions.at(0).steps.commands().back() ==
      remote::Argv{"ip", "link", "set", "dev", "enp1s0f1np1", "mtu", "1500"});
  CHECK(work->actions.at(0).may_cut_off);
}

TEST_CASE("what an orphan lies on waits until it is gone", "[providers]") {
  Resource bond = resource("pve1/bond/bond0", {}, {{"mode", {}}});
  bond.beneath = {
      *ResourceAddress::parse("pve1/interface/cx5.1"),
      *ResourceAddress::parse("pve1/interface/cx5.2")};
  const Resource slave = resource("pve1/interface/cx5.1", {}, {{"master", {}}});
  const std::vector<Resource> all = with_orphans({port(2)}, {bond, slave}, Registry{});
  REQUIRE(all.size() == 3);
  CHECK(all[0].address.str() == "pve1/interface/cx5.2");
  CHECK(all[0].after == std::vector<ResourceAddress>{bond.address});
  CHECK(all[1].beneath.empty());
  CHECK(all[2].after == std::vector<ResourceAddress>{bond.address});
}

TEST_CASE("a kernel parameter goes back to what it was before us", "[providers]") {
  const Provider provider = sysctl_provider(kinds::kSysctl);
  constexpr const char* kKey = "net.ipv4.conf.all.arp_ignore";
  const Resource wanted = resource("pve1/sysctl/storage", {}, {{kKey, "1"}});
  const auto facts = [](const char* value, const std::string& files) {
    return node_facts(
        {{"sysctl", std::string{"/proc/sys/net/ipv4/conf/all/arp_ignore:"} + value + "\n"},
         {"sysctl-files", files}});
  };
  const Work first = work_of(provider, wanted, facts("0", ""));
  const std::string path = first.actions.at(0).steps.writes().at(0).path;
  const std::string files = as_files(path, first.actions.at(0).steps.writes().at(0).content);
  const std::vector<Resource> left = provider.orphans({}, facts("1", files));
  REQUIRE(left.size() == 1);
  const NodeFacts now = facts("1", files);
  const Observation observation = observe_one(provider, left[0], now);
  Change change = change_of(provider, now, left[0], observation);
  change.kind = ChangeKind::remove;
  const auto work = provider.work(change, WorkContext{now, observation, false});
  REQUIRE(work);
  CHECK(work->actions.at(0).steps.removes() == std::vector<std::string>{path});
  CHECK(commands_of(work->actions.at(1)) == "sysctl -w net.ipv4.conf.all.arp_ignore=0\n");
}

TEST_CASE("orphans of all providers are found on the nodes that were reached", "[providers]") {
  Registry registry;
  add_builtin_providers(registry);
  std::vector<NodeFacts> facts{with_file(port(2)).facts()};
  CHECK(find_orphans({}, facts, registry).size() == 1);
  CHECK(find_orphans({port(2)}, facts, registry).empty());
  facts.front().failure = Error{ErrorCode::unreachable, "no route to host"};
  CHECK(find_orphans({}, facts, registry).empty());
}

}  // namespace
}  // namespace fabric::providers
