// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/settings/driver_port_types.hpp"

#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const Provider kProvider = settings_provider();
constexpr const char* kPath = "/etc/modprobe.d/fabric-port-types.conf";
// A tool that does not know the card any more prints nothing and succeeds.
constexpr const char* kSilent =
    "== tool mstconfig\n== version mstconfig, mstflint 4.33.0\n== card 0000:41:00.0\n\n== status "
    "0\n";

// A ConnectX-3 with port 1 InfiniBand and port 2 Ethernet.
NodeFacts facts(const std::string& modules, const std::string& table = kSilent) {
  return node_facts(
      {{"pci", fixture("pci-cx3.txt")}, {"mlxconfig", table}, {"module-files", modules}});
}

Resource wanted(std::vector<std::pair<std::string, Value>> desired) {
  return resource(
      "pve1/settings/cx3", adapter_binding({{"device_ids", List{0x1003}}}), std::move(desired));
}

std::string option(const std::string& array, bool ours = true) {
  const std::string path = ours ? kPath : "/etc/modprobe.d/mine.conf";
  return (ours ? path + ":# managed by fabric: pve1/settings/cx3\n" : "") + path +
         ":options mlx4_core port_type_array=" + array + "\n";
}

std::string observed(const NodeFacts& from, const std::string& parameter, Value value) {
  return layers(observe_one(kProvider, wanted({{parameter, std::move(value)}}), from), parameter);
}

TEST_CASE("link types of a card that no tool knows are its driver's", "[providers]") {
  // Without a word of modprobe.d the firmware's default is what runs.
  CHECK(observed(facts(""), "LINK_TYPE_P1", 1) == "1 | 1 | -");
  CHECK(observed(facts(""), "LINK_TYPE_P2", 1) == "2 | 2 | -");
  CHECK(observed(facts(option("2,2")), "LINK_TYPE_P1", 1) == "1 | 2 | -");
  CHECK(observed(facts(option("2,2")), "LINK_TYPE_P1", "ETH") == "1 | ETH | -");
  CHECK(observed(facts(option("0,1")), "LINK_TYPE_P1", 1) == "1 | 1 | -");
  CHECK(observed(facts(option("2")), "LINK_TYPE_P2", 2) == "2 | 2 | -");
  CHECK_FALSE(observe_one(kProvider, wanted({{"LINK_TYPE_P1", 1}}), facts(""))
                  .attributes.contains("record"));
  CHECK(observed(facts(""), "SRIOV_EN", 1).find("unknown (") == 0);
  // A tool that says anything of the card is asked as ever; so is one that is not there.
  Diagnostics missing;
  const auto unasked =
      observe_one(kProvider, wanted({{"LINK_TYPE_P1", 1}}), facts("", ""), missing);
  CHECK(unasked.attributes.at("LINK_TYPE_P1").running->is_unknown());
  REQUIRE(missing.items().size() == 1);
  CHECK(missing.items()[0].rule == "package-missing");
  const std::string image = "boot-image /boot/initrd.img-6.1\nimage-tool update-initramfs\n";
  CHECK(
      observed(facts(option("2,2") + image + "newer " + kPath + "\n"), "LINK_TYPE_P1", 2) ==
      "1 | 2, not yet in the initramfs | -");
  CHECK(observed(facts(option("2,2") + image), "LINK_TYPE_P1", 2) == "1 | 2 | -");
}

TEST_CASE("a card of the 2010 generation is its driver's whatever the tool says", "[providers]") {
  Resource by_driver = wanted({{"LINK_TYPE_P1", 2}});
  by_driver.features.push_back({"driver_link_type", "setting the link type", {}});
  CHECK(kProvider.supports(by_driver, "driver_link_type"));
  CHECK(layers(observe_one(kProvider, by_driver, facts("", "")), "LINK_TYPE_P1") == "1 | 1 | -");
  const Observation unread = observe_one(kProvider, by_driver, node_facts({{"pci", ""}}));
  CHECK(unread.attributes.at("LINK_TYPE_P1").running->is_unknown());
}

TEST_CASE("one array is written for all ports, and the initramfs made anew", "[providers]") {
  const Resource ethernet = wanted({{"LINK_TYPE_P1", 2}, {"LINK_TYPE_P2", 2}});
  const Work work = work_of(kProvider, ethernet, facts("boot-image /b\nimage-tool dracut\n"));
  REQUIRE(work.actions.size() == 1);
  const ActionDraft& draft = work.actions[0];
  CHECK(draft.steps.writes().at(0).path == kPath);
  CHECK(
      draft.steps.writes().at(0).content ==
      "# managed by fabric: pve1/settings/cx3\noptions mlx4_core port_type_array=2,2\n");
  CHECK(draft.undo.removes() == std::vector<std::string>{kPath});
  CHECK(
      draft.steps.commands() ==
      std::vector<remote::Argv>{{"dracut", "--force", "--regenerate-all"}});
  CHECK(draft.undo.commands() == draft.steps.commands());
  CHECK(draft.stage == Stage::prepare);
  REQUIRE(draft.postconditions.size() == 1);  // port 2 is Ethernet already
  CHECK(draft.postconditions[0].layer == Layer::next_boot);
  CHECK(kProvider.disruption(facts(""), ethernet, "LINK_TYPE_P1") == Disruption::reboot);
  // A port that the document does not name keeps what it has.
  const Work one = work_of(kProvider, wanted({{"LINK_TYPE_P2", 1}}), facts(option("2,2")));
  REQUIRE(one.actions.size() == 1);
  CHECK(one.actions[0].steps.writes().at(0).content.ends_with("port_type_array=2,1\n"));
  CHECK(one.actions[0].undo.writes().at(0).content.ends_with("port_type_array=2,2\n"));
  CHECK(one.actions[0].steps.commands().empty());
}

TEST_CASE("what is right for the next boot needs the boot alone", "[providers]") {
  const Resource ethernet = wanted({{"LINK_TYPE_P1", 2}, {"LINK_TYPE_P2", 2}});
  CHECK(work_of(kProvider, ethernet, facts(option("2,2"))).actions.empty());
}

TEST_CASE("what the driver can't is refused", "[providers]") {
  const auto refusal = [](const Resource& resource, const NodeFacts& from) {
    const Observation observation = observe_one(kProvider, resource, from);
    const Result<Work> work =
        kProvider.work({resource, ChangeKind::update, {}}, {from, observation, false});
    return work ? "" : work.error().message;
  };
  CHECK(
      refusal(wanted({{"LINK_TYPE_P1", 3}}), facts("")).find("not LINK_TYPE_P1 to 3") !=
      std::string::npos);
  NodeFacts two = facts("");
  std::string second = two.probes["pci"].standard_output;
  for (std::size_t at = 0; (at = second.find("0000:41:00.0", at)) != std::string::npos; ++at)
    second.replace(at, 12, "0000:81:00.0");
  two.probes["pci"].standard_output = two.probes["pci"].standard_output.str() + second;
  Resource first = wanted({{"LINK_TYPE_P1", 2}});
  first.binding["pci"] = "0000:41:00.0";
  CHECK(refusal(first, two).find("would change port 1 of 0000:81:00.0 too") != std::string::npos);
  first.desired["LINK_TYPE_P1"].value = 1;
  CHECK(refusal(first, two).empty());
}

TEST_CASE("another file that says otherwise is named by its line", "[providers]") {
  const auto found = [](const std::string& modules) {
    Diagnostics diagnostics;
    const std::vector<Resource> resources{wanted({{"LINK_TYPE_P1", 2}})};
    kProvider.observe(resources, facts(modules), diagnostics);
    return diagnostics.empty() ? "" : diagnostics.items()[0].message;
  };
  CHECK(
      found(option("1,1", false)) ==
      "pve1: /etc/modprobe.d/mine.conf:1 sets port_type_array of mlx4_core to 1,1, but the "
      "document asks for LINK_TYPE_P1=2");
  CHECK(found(option("2,1", false)).empty());
  CHECK(found(option("1,1")).empty());
  // What RHEL sets by the address of a card.
  const std::string rdma = "/etc/rdma/mlx4.conf:# types\n/etc/rdma/mlx4.conf:";
  CHECK(
      found(rdma + "0000:41:00.0 ib eth\n") ==
      "pve1: /etc/rdma/mlx4.conf:2 sets port 1 of 0000:41:00.0 to ib, but the document asks for "
      "LINK_TYPE_P1=2");
  CHECK(found(rdma + "0000:41:00.0 eth ib\n").empty());
  CHECK(found(rdma + "0000:02:00.0 ib ib\n").empty());
}

}  // namespace
}  // namespace fabric::providers
