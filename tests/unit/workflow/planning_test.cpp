// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/planning.hpp"

#include <algorithm>

#include "engine/provider/orphan.hpp"
#include "plans/plan_file.hpp"

#include "tests/support/simulated_lab.hpp"
#include "tests/unit/workflow/lab_ring.hpp"

namespace fabric::workflow::test {

namespace {

bool has_rule(const Diagnostics& diagnostics, const std::string& rule) {
  return std::any_of(
      diagnostics.items().begin(), diagnostics.items().end(), [&](const Diagnostic& item) {
        return item.rule == rule;
      });
}

}  // namespace

TEST_CASE("a plan is refused by a rule that needs facts", "[workflow]") {
  lab::LabSpec reality;
  // The firmware that drops chained frames of this MTU.
  reality.hosts["pve2"].adapters["cx5"].firmware = "16.22.1002";
  LabRing ring{3, reality};
  const Planned planned = ring.plan();
  CHECK(has_rule(planned.diagnostics, "chain-mtu-firmware"));
  CHECK_FALSE(planned.valid);
  CHECK(exit_code_of(planned) == ExitCode::invalid);
  CHECK(LabRing{}.plan().valid);
}

TEST_CASE("what the document has forgotten is planned to go", "[workflow]") {
  LabRing ring;
  REQUIRE(ring.apply() == ExitCode::done);
  const Planned planned = ring.plan(ring.without_network);
  CHECK_FALSE(planned.plan.orphans.empty());
  REQUIRE_FALSE(planned.plan.actions.empty());
  REQUIRE(ring.apply(ring.without_network, planned.plan) == ExitCode::done);
  // The values of before stay noted: nobody has asked to have them back.
  CHECK(
      ring.our_files("pve1") ==
      std::vector<std::string>{"/var/lib/fabric/settings/0000:01:00.0.before"});
}

TEST_CASE("what is left over on a node that is only observed stays", "[workflow]") {
  LabRing ring;
  REQUIRE(ring.apply() == ExitCode::done);
  const Wanted observed = wanted_by(ring_text(3, false, ", state: observe"));
  const Planned planned = ring.plan(observed);
  CHECK(planned.plan.orphans.empty());
  CHECK(planned.plan.actions.empty());
}

TEST_CASE("a plan carries what other nodes told of its resources", "[workflow]") {
  const Wanted wanted = wanted_by(
      "apiVersion: fabric/v1\nname: pair\n"
      "nodes:\n  n[1-2]: {adapters: {cx: {model: connectx-5-vpi, ports: 1}}}\n"
      "networks:\n  ib:\n    mode: infiniband\n    cables: [[n1/1, n2/1]]\n"
      "    subnet_managers: [{node: n1}]\n"
      "    partitions: {storage: {pkey: 0x8001, members: {n1: full, n2: full}}}\n");
  lab::Lab lab{wanted.document->spec(), fabric::test::simulated()};
  lab.exec(named("n1"), "root", "apt-get -y install opensm", "");
  lab::Runner runner{lab};
  Random random{1};
  Heard heard;
  const Planned planned =
      make_plan(wanted.desired(), discover(wanted.desired(), {}, heard, runner, random), {});
  for (const Diagnostic& item : planned.diagnostics.items())
    UNSCOPED_INFO(item.message);
  REQUIRE(planned.valid);
  CHECK_FALSE(planned.plan.bindings.empty());
  // As they were observed when the plan was made.
  for (const Resource& resource : planned_resources(wanted.desired(), planned.plan)) {
    const auto bound = planned.plan.bindings.find(resource.address);
    if (bound == planned.plan.bindings.end()) continue;
    for (const auto& [key, value] : bound->second)
      CHECK(resource.binding.at(key) == value);
  }
}

TEST_CASE("files of the control host are bound before anything is observed", "[workflow]") {
  LabRing ring;
  Heard heard;
  bool asked = false;
  const auto bind = [&](const std::vector<Resource>& resources, Diagnostics& diagnostics) {
    asked = !resources.empty();
    diagnostics.error("firmware-image-missing", {}, "there is no image");
    return Bindings{};
  };
  const Planned planned = make_plan(
      ring.wanted.desired(),
      discover(ring.wanted.desired(), {}, heard, ring.runner, ring.random),
      bind);
  CHECK(asked);
  CHECK_FALSE(planned.valid);
  CHECK(heard.discovered == 3);
}

TEST_CASE("a document that has changed since its plan is refused by its file", "[workflow]") {
  LabRing ring;
  plans::Plan plan = ring.plan().plan;
  CHECK(check_inputs(plan.inputs, *ring.wanted.document));
  plan.inputs.front().sha256 = "sha256:1";
  const Result<void> checked = check_inputs(plan.inputs, *ring.wanted.document);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().code == ErrorCode::stale);
  CHECK(checked.error().message.starts_with("fabric.yaml has changed"));
}

TEST_CASE("a limit names nodes of the document, and only those are asked", "[workflow]") {
  const auto limited = [](const std::string& limit) {
    Wanted all = wanted_by(ring_text(3));
    return want(std::move(all.document), {limit, {}, {}});
  };
  const Result<Wanted> some = limited("pve[1-2]");
  REQUIRE(some);
  CHECK(some->nodes.size() == 2);
  CHECK(some->limit == std::vector<NodeName>{named("pve1"), named("pve2")});
  CHECK(some->outside == std::vector<NodeName>{named("pve3")});
  for (const Resource& resource : some->resources)
    CHECK(resource.address.node != named("pve3"));
  CHECK(
      limited("pev1").error().message ==
      "--limit: the document has no node 'pev1'; did you mean 'pve1'?");
}

TEST_CASE(
    "a plan is the same where what was found of the nodes is given up on the way", "[workflow]") {
  LabRing ring;
  Wanted wanted = wanted_by(ring_text(3));
  const Planned kept = ring.plan(wanted);
  REQUIRE_FALSE(kept.plan.actions.empty());
  wanted.outputs_stay = false;
  const Planned planned = ring.plan(wanted);
  CHECK(plans::to_plan_file(planned.plan) == plans::to_plan_file(kept.plan));
  for (const auto& [name, node] : planned.snapshot.nodes) {
    CHECK(node.facts.probes.empty());
    CHECK_FALSE(kept.snapshot.nodes.at(name).facts.probes.empty());
    CHECK(node.observations.empty());
    CHECK_FALSE(kept.snapshot.nodes.at(name).observations.empty());
  }
}

}  // namespace fabric::workflow::test
