// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/rehearsal.hpp"

#include "tests/unit/rehearse/ring_plan.hpp"

namespace fabric::rehearse {

TEST_CASE("a copy is discovered as its node was: card, settings, armed values, files, drift") {
  lab::LabSpec reality;
  lab::LabHost& odd = reality.hosts["pve2"];
  odd.tool = "mlxconfig";
  odd.tool_version = "4.11";
  odd.files["/etc/sysctl.d/10-theirs.conf"] = "net.ipv4.conf.all.arp_ignore = 1\n";
  odd.done_since_boot = {"echo 0 >/proc/sys/net/ipv4/conf/all/arp_ignore"};
  odd.adapters["cx5"].firmware = "16.28.1002";
  odd.adapters["cx5"].pci = "0000:5e:00.0";
  odd.adapters["cx5"].settings = {{"LINK_TYPE_P1", "2"}};
  odd.adapters["cx5"].next_boot = {{"HOST_CHAINING_MODE", "1"}};
  RingPlan ring{3};
  ring.look(reality);

  const Copy copy = ring.copy();
  CHECK(copy.missing == std::vector<std::string>{});
  CHECK(copy.scene.left_out.empty());
  const lab::LabHost& host = copy.scene.lab.hosts.at("pve2");
  CHECK(host.backend == "networkd");
  CHECK(host.tool == "mlxconfig");
  CHECK(host.tool_version == "4.11");
  CHECK(host.adapters.at("cx5").firmware == "16.28.1002");
  CHECK(host.adapters.at("cx5").pci == "0000:5e:00.0");
  CHECK(host.files.at("/etc/sysctl.d/10-theirs.conf") == odd.files.begin()->second);
}

TEST_CASE("a copy of an ESXi host has its virtual switches, and their interfaces") {
  DocumentPlan fabric{
      "apiVersion: fabric/v1\nname: mtu\nnodes:\n"
      "  esx[1-2]: {platform: esxi, adapters: {cx6: {model: "
      "connectx-6-dx, pci: \"0000:01:00.0\"}}}\n"
      "  leaf1: {platform: unmanaged}\n"
      "networks:\n  storage: {mode: ethernet, mtu: 9000, vswitch: vSwitch1, cables: "
      "[[\"esx[1-2]/1\", \"leaf1/[1-2]\"]]}\n"};
  lab::LabSpec reality;
  for (const char* number : {"1", "2"}) {
    reality.hosts[std::string{"esx"} + number].files["/etc/vmware/esx.conf"] =
        std::string{"/system/uuid = \"5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a"} + number + "\"\n" +
        R"(/net/vswitch/child[0001]/name = "vSwitch1"
/net/vswitch/child[0001]/mtu = "1500"
/net/vswitch/child[0001]/uplinks = "vmnic2"
/net/vswitch/child[0001]/portgroups = "storage"
/net/vmkernelnic/child[0001]/name = "vmk1"
/net/vmkernelnic/child[0001]/mtu = "1500"
/net/vmkernelnic/child[0001]/portgroup = "storage"
/net/vmkernelnic/child[0001]/ipv4address = "10.30.0.)" +
        number + "\"\n";
  }
  fabric.look(reality);
  CHECK_FALSE(fabric.plan.actions.empty());
  const Copy copy = fabric.copy();
  CHECK(copy.scene.left_out.empty());
}

TEST_CASE("the plan of what was discovered runs on the copies, by the identity of the nodes") {
  RingPlan ring{3};
  lab::LabSpec reality;
  reality.seed = 77;
  ring.look(reality);
  const Copy copy = ring.copy();
  World world{copy.scene, 5};
  const Round round = world.round({}, &ring.plan);
  CHECK(round.failure.empty());
  CHECK(round.exit == ExitCode::done);
  CHECK(world.round({}).empty);
}

TEST_CASE("a node that was not reached stays silent, and is said") {
  RingPlan ring{4};
  ring.look({}, {named("pve4")});
  const Copy copy = ring.copy();
  REQUIRE(!copy.missing.empty());
  CHECK(copy.missing.front() == "pve4 was not reached: its copy never answers");
  CHECK(copy.scene.unreached == std::set<NodeName>{named("pve4")});
  World world{copy.scene, 1};
  world.clear_faults();
  for (const NodeFacts& facts : world.discover())
    CHECK(facts.reachable() == (facts.node != named("pve4")));
}

TEST_CASE("hooks are played by something else, and that is said") {
  RingPlan ring{3};
  ring.spec.hooks.before_disruption.value = {"drain"};
  Diagnostics diagnostics;
  ring.resources = expand(ring.spec, diagnostics);
  ring.look({});
  CHECK(
      ring.copy().missing ==
      std::vector<std::string>{"hooks are not run: a stand-in always succeeds"});
}

TEST_CASE("what the lab can't play is left out with both readings") {
  RingPlan ring{3};
  ring.look({});
  for (auto& [address, observation] : ring.snapshot.nodes.at(named("pve1")).observations) {
    if (address.kind == "sysctl") observation.attributes.begin()->second.running = Reading::of(7);
  }
  const Copy copy = ring.copy();
  REQUIRE(copy.missing.size() == 1);
  CHECK(copy.missing.front().find("running is 7 there") != std::string::npos);
  REQUIRE(copy.scene.left_out.size() == 1);
  CHECK(copy.scene.left_out.begin()->kind == "sysctl");
}

}  // namespace fabric::rehearse
