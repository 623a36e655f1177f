// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const Provider kProvider = qos_provider();

Resource wanted() {
  return resource(
      "pve1/qos/cx5.2",
      adapter_binding({{"port", 2}, {"roce_dscp", 26}, {"cnp_dscp", 48}}),
      {{"dcbx", "os"},
       {"trust", "dscp"},
       {"pfc", List{3}},
       {"roce_priority", 3},
       {"cnp_priority", 6},
       {"ecn", true},
       {"cnp_dscp", 48},
       {"tos", 106}});
}

constexpr const char* kFresh =
    "== interface enp1s0f1np1\n== dcbx\nhost ieee \n== pfc\npfc-cap 8 macsec-bypass off delay 0 \n"
    "prio-pfc 0:off 1:off 2:off 3:off 4:off 5:off 6:off 7:off \n== app\n"
    "== ecn 3 1\n== ecn 3 0\n== cnp_dscp 48\n";
constexpr const char* kRight =
    "== interface enp1s0f1np1\n== dcbx\nhost ieee \n== pfc\n"
    "prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off \n== app\ndscp-prio 26:3 48:6 \n"
    "== ecn 3 1\n== ecn 3 1\n== cnp_dscp 48\n== tos mlx5_1 1 106\n";

NodeFacts facts(const std::string& qos, const std::string& files = "") {
  return node_facts({{"pci", fixture("pci-cx5.txt")}, {"qos", qos}, {"qos-files", files}});
}

// As `grep -H` prints the files that an action writes.
std::string as_probed(const ActionDraft& draft) {
  std::string text;
  for (const remote::step::WriteFile& file : draft.steps.writes()) {
    std::size_t begin = 0;
    const std::string& content = file.content;
    for (std::size_t end; (end = content.find('\n', begin)) != std::string::npos; begin = end + 1)
      text += file.path + ":" + content.substr(begin, end - begin) + "\n";
  }
  return text;
}

std::string files() {
  return as_probed(work_of(kProvider, wanted(), facts(kFresh)).actions.at(0));
}

TEST_CASE("a port is made lossless by a unit that a boot runs too", "[providers]") {
  const NodeFacts fresh = facts(kFresh);
  const Observation seen = observe_one(kProvider, wanted(), fresh);
  CHECK(layers(seen, "trust") == "pcp | - | absent");
  CHECK(layers(seen, "pfc") == "[] | - | absent");
  CHECK(layers(seen, "roce_priority") == "absent | - | absent");
  CHECK(layers(seen, "ecn") == "off in part, at priority 3 | - | absent");
  CHECK(layers(seen, "tos") == "absent | - | absent");
  const Work work = work_of(kProvider, wanted(), fresh);
  REQUIRE(work.actions.size() == 2);
  CHECK(work.actions[0].steps.writes().size() == 3);
  CHECK(commands_of(work.actions[1]) == "systemctl restart fabric-qos-cx5.2.service\n");
  CHECK(work.actions[0].disruption == Disruption::none);
  CHECK(work.actions[1].disruption == Disruption::traffic);
  CHECK(work_of(kProvider, wanted(), fresh, true).actions.size() == 1);
  CHECK(work_of(kProvider, wanted(), facts(kRight, files())).actions.empty());
}

TEST_CASE("a script that somebody edited is not what a boot should run", "[providers]") {
  std::string edited = files();
  const std::size_t at = edited.find("pfc='3'");
  REQUIRE(at != std::string::npos);
  edited.replace(at, 7, "pfc='4'");
  Observation seen = observe_one(kProvider, wanted(), facts(kRight, edited));
  CHECK(layers(seen, "pfc") == "[3] | - | [4]");
  CHECK(layers(seen, "trust") == "dscp | - | dscp");
  edited = files();
  edited.replace(edited.find("exit $status"), 4, "true");
  seen = observe_one(kProvider, wanted(), facts(kRight, edited));
  CHECK(layers(seen, "trust") == "dscp | - | absent");
}

TEST_CASE(
    "the tool of the vendor is read where it is there, and a class wins over the ToS",
    "[providers]") {
  const std::string text =
      "== interface enp1s0f1np1\n== mlnx_qos\nDCBX mode: Firmware controlled\n"
      "Priority trust state: dscp\ndscp2prio mapping:\n\tprio:3 dscp:26,\n\tprio:6 dscp:48,\n"
      "PFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n"
      "\tenabled     0   0   0   1   0   0   0   0   \n== class mlx5_1 Global tclass=96\n"
      "== tos mlx5_1 1 106\n";
  const Observation seen = observe_one(kProvider, wanted(), facts(text));
  CHECK(layers(seen, "dcbx") == "firmware | - | absent");
  CHECK(layers(seen, "pfc") == "[3] | - | absent");
  CHECK(layers(seen, "cnp_priority") == "6 | - | absent");
  CHECK(layers(seen, "tos") == "96 | - | absent");
}

TEST_CASE(
    "what no tool tells is unknown, and a driver without ECN names the parameter", "[providers]") {
  Observation seen = observe_one(kProvider, wanted(), facts("== interface enp1s0f1np1\n"));
  CHECK(
      layers(seen, "pfc") ==
      "unknown (the node has neither dcb (iproute2) nor mlnx_qos) | - | absent");
  seen = observe_one(
      kProvider,
      wanted(),
      facts("== interface enp1s0f1np1\n== pfc\nAttribute read: Operation not supported\n"));
  CHECK(
      layers(seen, "trust") ==
      "unknown (dcb: Attribute read: Operation not supported) | - | absent");
  const NodeFacts silent = facts("== interface enp1s0f1np1\n== pfc\nprio-pfc 3:on \n== app\n");
  seen = observe_one(kProvider, wanted(), silent);
  const auto work = kProvider.work(
      change_of(kProvider, silent, wanted(), seen), WorkContext{silent, seen, false});
  REQUIRE_FALSE(work);
  CHECK(work.error().message.find("ROCE_CC_PRIO_MASK_P2") != std::string::npos);
}

TEST_CASE("a port that a boot makes Ethernet has its files before that boot", "[providers]") {
  Resource first = wanted();
  first.address = *ResourceAddress::parse("pve1/qos/cx5.1");
  first.binding.insert_or_assign("port", 1);
  const NodeFacts infiniband = facts("== class mlx5_1 \n");
  CHECK(layers(observe_one(kProvider, first, infiniband), "pfc") == "absent | - | absent");
  CHECK(layers(observe_one(kProvider, first, infiniband), "ecn") == "absent | - | absent");
  const Work work = work_of(kProvider, first, infiniband, true);
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].steps.writes().size() == 3);
}

TEST_CASE("what was in force before comes back when the key goes", "[providers]") {
  const NodeFacts now = facts(kRight, files());
  const std::vector<Resource> left = kProvider.orphans({}, now);
  REQUIRE(left.size() == 1);
  CHECK(left[0].address.str() == "pve1/qos/cx5.2");
  Change change = change_of(kProvider, now, left[0], observe_one(kProvider, left[0], now));
  change.kind = ChangeKind::remove;
  const Observation seen = observe_one(kProvider, left[0], now);
  const auto work = kProvider.work(change, WorkContext{now, seen, false});
  REQUIRE(work);
  REQUIRE(work->actions.size() == 1);
  CHECK(work->actions[0].steps.removes().size() == 3);
  CHECK(work->actions[0].disruption == Disruption::traffic);
  const remote::Argv back = work->actions[0].steps.commands().at(1);
  CHECK(back.at(2).script() == &sh::qos_set);
  CHECK(
      remote::Argv(back.begin() + 8, back.begin() + 11) ==
      remote::Argv{"trust=pcp", "pfc=none", "map="});
  CHECK(back.at(13) == "tos=0");

  // The second port of a RoCE bond has no RDMA device.
  const std::string right = kRight;
  const NodeFacts bonded = facts(right.substr(0, right.find("== tos")), files());
  const Observation seen_there = observe_one(kProvider, left[0], bonded);
  const auto without = kProvider.work(change, WorkContext{bonded, seen_there, false});
  REQUIRE(without);
  CHECK(without->actions.at(0).steps.commands().at(1).at(13) == "tos=");
}

}  // namespace
}  // namespace fabric::providers
