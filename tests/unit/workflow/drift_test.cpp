// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/drift.hpp"

#include "engine/workflow/run_history.hpp"

#include "tests/unit/workflow/lab_ring.hpp"

namespace fabric::workflow::test {

namespace {

// An attribute whose stored layer is a file.
plans::PlannedChange in_file(
    std::optional<Reading> running, std::optional<Reading> file, Value desired) {
  plans::PlannedChange change{{named("pve1"), "interface", "cx5.1"}};
  change.attribute.attribute = "mtu";
  change.attribute.observed = {std::move(running), std::nullopt, std::move(file)};
  change.attribute.activate =
      change.attribute.observed.running && !change.attribute.observed.running->equals(desired);
  change.attribute.desired = std::move(desired);
  change.attribute.disruption = Disruption::link;
  return change;
}

plans::PlannedChange of_card(Reading running, Reading next_boot, Value desired) {
  plans::PlannedChange change{{named("pve1"), "settings", "cx5"}};
  change.attribute.attribute = "SRIOV_EN";
  change.attribute.activate = !running.equals(desired);
  change.attribute.observed = {std::move(running), std::move(next_boot), std::nullopt};
  change.attribute.desired = std::move(desired);
  change.attribute.disruption = Disruption::reboot;
  return change;
}

OriginEvidence set_to(Value value, bool staged = false) {
  return {std::move(value), "run 1", staged, {}};
}

OriginEvidence nothing() {
  return {};
}

OriginEvidence file_only() {
  return {std::nullopt, {}, false, {"/etc/systemd/network/50-fabric.network"}};
}

Origin origin(const plans::PlannedChange& change, const OriginEvidence& evidence) {
  const OriginVerdict verdict = judge_origin(change, evidence);
  INFO(verdict.evidence);
  CHECK_FALSE(verdict.evidence.empty());
  return verdict.origin;
}

plans::Action covering(const std::string& id, const ResourceAddress& address) {
  plans::Action action{id, address.node};
  action.covers = {address};
  return action;
}

execute::RecordedAction ended(const std::string& id, execute::ActionState state) {
  execute::RecordedAction action;
  action.id = id;
  action.ended = true;
  action.state = state;
  return action;
}

}  // namespace

TEST_CASE("a value that fabric put in force and that differs was changed outside", "[workflow]") {
  const auto nine = Reading::of(9000);
  const auto less = Reading::of(1500);
  CHECK(origin(in_file(less, nine, 9000), set_to(9000)) == Origin::outside);
  CHECK(origin(in_file(less, less, 9000), set_to(9000)) == Origin::outside);
  CHECK(origin(in_file(less, Reading::absent(), 9000), set_to(9000)) == Origin::outside);
  CHECK(origin(of_card(Reading::of(1), Reading::of(0), 1), set_to(1)) == Origin::outside);
}

TEST_CASE("what fabric set and is not in force yet is as fabric left it", "[workflow]") {
  CHECK(origin(of_card(Reading::of(0), Reading::of(1), 1), set_to(1)) == Origin::fabric);
  CHECK(
      origin(in_file(Reading::of(1500), Reading::of(9000), 9000), set_to(9000, true)) ==
      Origin::fabric);
  // The document asks for something else than what fabric set, and that is there.
  CHECK(
      origin(in_file(Reading::of(9000), Reading::of(9000), 4200), set_to(9000)) == Origin::fabric);
}

TEST_CASE("a value that neither fabric nor the document set has two authors", "[workflow]") {
  CHECK(origin(in_file(Reading::of(1500), Reading::of(1500), 4200), set_to(9000)) == Origin::both);
  CHECK(origin(in_file(Reading::of(1500), Reading::of(9000), 9000), set_to(4200)) == Origin::both);
}

TEST_CASE("without a record the origin is not guessed", "[workflow]") {
  CHECK(origin(of_card(Reading::of(0), Reading::of(1), 1), nothing()) == Origin::unknown);
  CHECK(origin(of_card(Reading::of(1), Reading::of(0), 1), nothing()) == Origin::unknown);
  CHECK(origin(in_file(Reading::of(1500), Reading::absent(), 9000), nothing()) == Origin::unknown);
  // Our file may have been edited, or the document: nobody can tell.
  CHECK(
      origin(in_file(Reading::of(1500), Reading::of(1500), 9000), file_only()) == Origin::unknown);
  // It may have been staged.
  CHECK(
      origin(in_file(Reading::of(1500), Reading::of(9000), 9000), file_only()) == Origin::unknown);
  plans::PlannedChange unread = in_file(Reading::unknown("no tool"), std::nullopt, 9000);
  unread.kind = ChangeKind::unknown;
  CHECK(origin(unread, set_to(9000)) == Origin::unknown);
}

TEST_CASE("an orphan is fabric's own", "[workflow]") {
  plans::PlannedChange change = in_file(Reading::of(9000), Reading::of(9000), {});
  change.kind = ChangeKind::remove;
  CHECK(origin(change, file_only()) == Origin::fabric);
}

TEST_CASE("the latest run that brought an attribute to its end tells of it", "[workflow]") {
  const plans::PlannedChange change = in_file(Reading::of(1500), Reading::of(1500), 9000);
  plans::Plan plan;
  plan.changes = {change};
  plan.actions = {covering("a1", change.address), covering("a2", change.address)};
  execute::RunRecord done;
  done.run = "later";
  done.actions = {ended("a1", execute::ActionState::done), ended("a2", execute::ActionState::done)};
  RunHistory history;
  history.add(done, plan);
  plans::Plan earlier = plan;
  earlier.changes.front().attribute.desired = 4200;
  done.run = "earlier";
  history.add(done, earlier);
  const LastSet* last = history.find(change.address, "mtu");
  REQUIRE(last != nullptr);
  CHECK(last->run == "later");
  CHECK(last->value == Value{9000});
  CHECK(history.find(change.address, "ipv4") == nullptr);
}

TEST_CASE("after a run that failed midway no earlier run tells anything", "[workflow]") {
  const plans::PlannedChange change = in_file(Reading::of(1500), Reading::of(1500), 9000);
  plans::Plan plan;
  plan.changes = {change};
  plan.actions = {covering("a1", change.address), covering("a2", change.address)};
  execute::RunRecord record;
  record.run = "failed";
  record.actions = {
      ended("a1", execute::ActionState::done), ended("a2", execute::ActionState::failed)};
  RunHistory history;
  history.add(record, plan);
  record.run = "earlier";
  record.actions.back().state = execute::ActionState::done;
  history.add(record, plan);
  CHECK(history.find(change.address, "mtu") == nullptr);
}

TEST_CASE("a run that never began with an attribute leaves it to earlier ones", "[workflow]") {
  const plans::PlannedChange change = in_file(Reading::of(1500), Reading::of(1500), 9000);
  plans::Plan plan;
  plan.changes = {change};
  plan.actions = {covering("a1", change.address)};
  execute::RunRecord record;
  record.run = "stopped";
  record.actions = {ended("a1", execute::ActionState::not_started)};
  RunHistory history;
  history.add(record, plan);
  record.run = "earlier";
  record.actions = {ended("a1", execute::ActionState::done)};
  history.add(record, plan);
  REQUIRE(history.find(change.address, "mtu") != nullptr);
  CHECK(history.find(change.address, "mtu")->run == "earlier");
}

TEST_CASE("a ring that was applied has no drift, and a change by hand is one", "[workflow]") {
  LabRing ring;
  REQUIRE(ring.apply() == ExitCode::done);
  CHECK(find_drift(ring.wanted.desired(), ring.plan(), {}).differences.empty());
  ring.lab.exec(
      named("pve2"),
      "root",
      "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0 SRIOV_EN=1",
      "");
  const Drift drift = find_drift(ring.wanted.desired(), ring.plan(), {});
  REQUIRE(drift.differences.size() == 2);
  const Difference& declared = drift.differences.front();
  CHECK(declared.change.attribute.attribute == "HOST_CHAINING_MODE");
  CHECK(declared.declared);
  CHECK(declared.waits_for_boot);
  CHECK(declared.origin == Origin::unknown);
  const Difference& left = drift.differences.back();
  CHECK(left.change.attribute.attribute == "SRIOV_EN");
  CHECK_FALSE(left.declared);
  CHECK(left.waits_for_boot);
  CHECK(drift.count(Origin::unknown) == 1);
  CHECK(drift.waiting() == 2);
  const Diagnostics findings = drift_findings(drift);
  CHECK(findings.count(Severity::warning) == 1);
  CHECK(findings.count(Severity::info) == 1);
}

}  // namespace fabric::workflow::test
