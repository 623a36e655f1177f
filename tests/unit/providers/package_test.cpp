// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/package/package_database.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const Provider kProvider = package_provider();

Resource wanted(const std::string& name = "perftest") {
  return resource("pve1/package/" + name, {}, {{"installed", true}});
}

NodeFacts debian(const std::string& rows, const std::string& end = "== status 0\n") {
  return node_facts(
      {{"packages", "== list dpkg\nii \tbash\t5.2.15-2+b7\n" + rows + end + "== tool apt-get\n"}});
}

NodeFacts rpm(const std::string& tools) {
  return node_facts(
      {{"packages",
        "== list rpm\nbash\t5.1.8-9.el9\nrdma-core\t48.0-1.el9\ngpg-pubkey\t8483c65d-5ccc5b19\n== "
        "status 0\n" +
            tools}});
}

std::string installed(const NodeFacts& facts, const std::string& name = "perftest") {
  return layers(observe_one(kProvider, wanted(name), facts), "installed");
}

TEST_CASE("a package is there when it is installed and configured", "[providers]") {
  CHECK(installed(debian("ii \tperftest\t4.5\n")) == "- | - | true");
  CHECK(installed(debian("hi \tperftest\t4.5\n")) == "- | - | true");
  CHECK(installed(debian("it \tperftest\t4.5\n")) == "- | - | true");
  CHECK(installed(debian("")) == "- | - | absent");
  CHECK(installed(debian("rc \tperftest\t4.5\n")) == "- | - | absent");
  CHECK(installed(debian("un \tperftest\t\n")) == "- | - | absent");
  CHECK(installed(debian("iF \tperftest\t4.5\n")) == "- | - | half-configured");
  CHECK(installed(debian("iU \tperftest\t4.5\n")) == "- | - | unpacked");
  CHECK(installed(debian("iH \tperftest\t4.5\n")) == "- | - | half-installed");
  CHECK(installed(debian("iW \tperftest\t4.5\n")) == "- | - | waiting for triggers");
  CHECK(installed(debian("iiR\tperftest\t4.5\n")) == "- | - | broken, to be reinstalled");
}

TEST_CASE("one of two architectures is enough", "[providers]") {
  CHECK(installed(debian("iU \tlibx\t1\nii \tlibx\t1\n"), "libx") == "- | - | true");
  CHECK(installed(debian("ii \tlibx\t1\niU \tlibx\t1\n"), "libx") == "- | - | true");
}

TEST_CASE("rpm tells the same of its packages", "[providers]") {
  CHECK(installed(rpm(""), "rdma-core") == "- | - | true");
  CHECK(installed(rpm("")) == "- | - | absent");
}

TEST_CASE("a database that could not be read whole says nothing of any package", "[providers]") {
  CHECK(
      installed(debian("", "== status 2\n"), "bash") ==
      "- | - | unknown (dpkg-query could not read its database: exit 2)");
  CHECK(
      installed(debian("ii \tperftest\t4.5\n", "")) ==
      "- | - | unknown (the list of packages is cut short)");
  CHECK(
      installed(node_facts({{"packages", "== tool zypper\n"}})) ==
      "- | - | unknown (the node has neither dpkg nor rpm)");
  CHECK(installed(node_facts({})) == "- | - | unknown (the list of packages could not be read)");
}

TEST_CASE("an interrupted dpkg must be mended before anything is installed", "[providers]") {
  const NodeFacts facts = node_facts(
      {{"packages", "== interrupted\n== list dpkg\nii \tbash\t5\n== status 0\n== tool apt-get\n"}});
  CHECK(
      installed(facts) ==
      "- | - | unknown (dpkg was interrupted on the node; run: dpkg --configure -a)");
  CHECK(installed(facts, "bash") == "- | - | true");
}

TEST_CASE("a missing package is installed by what the node has, and rolled back", "[providers]") {
  const Work apt = work_of(kProvider, wanted(), debian(""));
  REQUIRE(apt.actions.size() == 1);
  const ActionDraft& draft = apt.actions[0];
  CHECK(draft.title == "install perftest");
  CHECK(draft.stage == Stage::prepare);
  CHECK(draft.disruption == Disruption::none);
  REQUIRE(draft.steps.commands().size() == 1);
  CHECK(draft.steps.commands()[0].front() == "sh");
  CHECK(draft.steps.commands()[0].back() == "perftest");
  CHECK(draft.steps.commands()[0][2].find("perftest") == std::string::npos);
  CHECK(
      draft.undo.commands() ==
      std::vector<remote::Argv>{
          {"env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--remove", "perftest"}});
  CHECK(draft.postconditions.at(0).equals == Value{true});
  CHECK(draft.preconditions.at(0).equals.is_null());
  CHECK(work_of(kProvider, wanted("bash"), debian("")).actions.empty());

  const auto command = [](const std::string& tools) {
    return commands_of(work_of(kProvider, wanted(), rpm(tools)).actions.at(0));
  };
  CHECK(
      command("== tool dnf\n== tool yum\n") ==
      "dnf -q -y --setopt=install_weak_deps=False install perftest\n");
  CHECK(command("== tool yum\n") == "yum -q -y install perftest\n");
  CHECK(
      command("== tool zypper\n") ==
      "zypper --non-interactive --quiet install --no-recommends perftest\n");
  CHECK(
      work_of(kProvider, wanted(), rpm("== tool dnf\n")).actions.at(0).undo.commands() ==
      std::vector<remote::Argv>{{"rpm", "-e", "perftest"}});
}

TEST_CASE("what was half there is finished and can't be put back", "[providers]") {
  const Work work = work_of(kProvider, wanted(), debian("iF \tperftest\t4.5\n"));
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].irreversible == "it was half-configured before");
  CHECK(work.actions[0].undo.commands().empty());
}

TEST_CASE("what is no name of a package reaches no shell", "[providers]") {
  for (const char* name : {"perftest-", "@core", "-y", "a b", "a;b", "a/testing", "x=1", ""}) {
    INFO(name);
    Resource odd = wanted();
    odd.address.name = name;
    const NodeFacts facts = debian("");
    const Observation observation = observe_one(kProvider, odd, facts);
    const Change change = change_of(kProvider, facts, odd, observation);
    const auto work = kProvider.work(change, {facts, observation});
    REQUIRE_FALSE(work);
    CHECK(
        work.error().message.find("this name can't be the name of a package") != std::string::npos);
  }
}

TEST_CASE("a node without a program that installs can't be given a package", "[providers]") {
  const NodeFacts facts = node_facts({{"packages", "== list dpkg\nii \tbash\t5\n== status 0\n"}});
  const Observation observation = observe_one(kProvider, wanted(), facts);
  const auto work =
      kProvider.work(change_of(kProvider, facts, wanted(), observation), {facts, observation});
  REQUIRE_FALSE(work);
  CHECK(
      work.error().message ==
      "pve1/package/perftest: the node has no program that installs packages");
}

}  // namespace
}  // namespace fabric::providers
