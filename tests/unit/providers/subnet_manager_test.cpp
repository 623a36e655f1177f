// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "providers/infiniband/parsers/opensm.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/subnet_manager/manager_files.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const Provider kProvider = subnet_manager_provider();
constexpr const char* kUnit = "fabric-opensm-ib.cx5.1.service";
constexpr const char* kOwnGuid = "0x0c42a103008c51a8";  // of fixtures/pci-cx5.txt

Value member(const std::string& who, bool full) {
  return Map{{"who", who}, {"full", full}};
}

Value partition(const std::string& name, std::int64_t pkey, List members) {
  return Map{
      {"name", name},
      {"pkey", pkey},
      {"ipoib", true},
      {"mtu", 4096},
      {"members", std::move(members)}};
}

Value two_partitions() {
  return List{
      partition("Default", 0x7fff, List{member("ALL", true)}),
      partition("storage", 0x10, List{member("pve2/cx5/1", false), member("SELF", true)})};
}

Resource wanted(std::int64_t priority = 10) {
  return resource(
      "pve1/subnet_manager/ib.cx5.1",
      adapter_binding(
          {{"port", 1},
           {"network", "ib"},
           {"adopt", true},
           {"peers", List{"pve1/cx5/1", "pve2/cx5/1"}},
           {"managers", List{"pve1/cx5/1", "pve2/cx5/1"}},
           {"port_guids", Map{{"pve1/cx5/1", kOwnGuid}, {"pve2/cx5/1", "0x00000000000000b2"}}}}),
      {{"manages", true}, {"priority", priority}, {"partitions", two_partitions()}});
}

std::string grep_lines(const std::string& path, const std::string& content) {
  std::string text;
  std::size_t begin = 0;
  for (std::size_t end; (end = content.find('\n', begin)) != std::string::npos; begin = end + 1)
    text += path + ":" + content.substr(begin, end - begin) + "\n";
  return text;
}

using Files = std::map<std::string, std::string>;

NodeFacts facts(const std::string& state, const Files& files = {}) {
  std::string lines;
  for (const auto& [path, content] : files)
    lines += grep_lines(path, content);
  return node_facts(
      {{"pci", fixture("pci-cx5.txt")},
       {"opensm", "tool opensm\ntool sminfo\n" + state},
       {"opensm-files", lines}});
}

std::string answer(const char* whose, const std::string& guid, const char* state) {
  return fmt::format(
      "{} mlx5_0 1 sminfo: sm lid 1 sm guid {}, activity count 7 priority 10 state {}\n",
      whose,
      guid,
      state);
}

// What lies on the node after the work for `resource`, and was copied when the unit started.
Files written(const Resource& resource) {
  Files files;
  const Work work = work_of(kProvider, resource, facts("port mlx5_0 1 ACTIVE\n"));
  for (const remote::step::WriteFile& write : work.actions.at(0).steps.writes()) {
    files[write.path] = write.content;
    if (write.path.starts_with("/etc/opensm/"))
      files["/run/fabric/opensm-ib.cx5.1/" + write.path.substr(12)] = write.content;
  }
  return files;
}

std::string running(const std::string& rest) {
  return fmt::format("unit {} active running\nport mlx5_0 1 ACTIVE\n{}", kUnit, rest);
}

TEST_CASE("partitions are written so that they read back without a warning", "[providers]") {
  Map guids;
  List members;
  for (int i = 1; i <= 250; ++i) {
    const std::string port = fmt::format("n{}/cx5/1", i);
    guids.emplace(port, fmt::format("0x{:016x}", i));
    members.push_back(member(port, i % 2 == 0));
  }
  const Result<std::string> text =
      partitions_text(List{partition("storage", 0x10, std::move(members))}, guids);
  REQUIRE(text);
  const Result<PartitionsConf> read = parse_partitions_conf(*text);
  REQUIRE(read);
  CHECK(read->warnings.empty());
  REQUIRE(read->partitions.size() == 3);
  CHECK(read->partitions[0].ipoib);
  CHECK(read->partitions[0].flags.mtu == 5);
  CHECK_FALSE(read->partitions[1].ipoib);
  std::size_t found = 0;
  for (const Partition& each : read->partitions) {
    CHECK(each.p_key == 0x10);
    found += each.members.size();
  }
  CHECK(found == 250);
  // Nothing that reads as another partition, or as none, is ever written.
  for (const char* name :
       {"a#b", "a:b", "a=0x10 : ALL=full; b", "a, ipoib", "a\nb=1 : ALL", " a"}) {
    INFO(name);
    const Result<std::string> hostile =
        partitions_text(List{partition(name, 0x11, List{member("ALL", false)})}, guids);
    REQUIRE_FALSE(hostile);
    CHECK(hostile.error().message.find("as something else") != std::string::npos);
  }
  CHECK(partitions_text(List{partition("0x10", 0x11, List{member("ALL", false)})}, guids));
  CHECK_FALSE(
      partitions_text(List{partition("a", 0x11, List{member("n", true)})}, Map{{"n", "x"}}));
  const Result<std::string> unknown = partitions_text(two_partitions(), {});
  REQUIRE_FALSE(unknown);
  CHECK(
      unknown.error().message ==
      "the port GUID of pve2/cx5/1 is not known: its node was not read, or does not show it");
}

TEST_CASE(
    "a manager is written, started in place of the distribution's, and waited for", "[providers]") {
  const NodeFacts now = facts(
      "unit opensm.service active exited\nunit opensm@0x1.service active running\nport mlx5_0 1 "
      "INIT\n");
  const Observation observation = observe_one(kProvider, wanted(), now);
  CHECK(layers(observation, "manages") == "absent | - | absent");
  CHECK(layers(observation, "priority") == "absent | - | absent");
  const Work work = work_of(kProvider, wanted(), now);
  REQUIRE(work.actions.size() == 2);
  const ManagerPaths paths = manager_paths(wanted().address);
  Files files;
  for (const remote::step::WriteFile& write : work.actions[0].steps.writes())
    files[write.path] = write.content;
  for (const std::string_view guard : kServiceGuards)
    CHECK(files.at(std::string{guard}).find(fmt::format("!{}\n", guard)) != std::string::npos);
  CHECK(
      files.at(paths.unit).find("--config /etc/opensm/fabric-ib.cx5.1.conf") != std::string::npos);
  const Result<OpensmConf> options = parse_opensm_conf(files.at(paths.options));
  REQUIRE(options);
  CHECK(options->find("guid")->value == kOwnGuid);
  CHECK(options->find("sm_priority")->value == "10");
  CHECK(options->find("partition_config_file")->value == paths.partitions);
  CHECK(
      files.at(paths.partitions) ==
      "# managed by fabric: pve1/subnet_manager/ib.cx5.1\n"
      "Default=0x7fff, ipoib, mtu=5 : ALL=full;\n"
      "storage=0x0010, ipoib, mtu=5 : 0x00000000000000b2=limited, SELF=full;\n"
      "# pve2/cx5/1 0x00000000000000b2\n");
  CHECK(
      work.actions[1].title ==
      "start OpenSM ib.cx5.1 in place of opensm.service, opensm@0x1.service");
  REQUIRE(work.actions[1].steps.commands().size() == 3);
  CHECK(work.actions[1].steps.commands()[1] == remote::Argv{"systemctl", "restart", kUnit});
  // The rule starts it after a boot that is planned anyway.
  CHECK(work_of(kProvider, wanted(), now, true).actions.size() == 1);
}

TEST_CASE("a member that nobody knows costs itself and is named", "[providers]") {
  Resource manager = wanted();
  const Files files = written(manager);
  CHECK(
      kProvider.noted_guids(manager, facts(running(""), files)) ==
      std::map<std::string, std::string, std::less<>>{{"pve2/cx5/1", "0x00000000000000b2"}});
  manager.binding.insert_or_assign("port_guids", Map{{"pve1/cx5/1", kOwnGuid}});
  Diagnostics diagnostics;
  const Observation seen = observe_one(
      kProvider,
      manager,
      facts(running(answer("own", kOwnGuid, "3 SMINFO_MASTER")), files),
      diagnostics);
  CHECK_FALSE(seen.attributes.at("partitions").persistent->is_unknown());
  CHECK(seen.attributes.at("manages").persistent->equals(true));
  CHECK(seen.attributes.at("priority").persistent->equals(10));
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(diagnostics.items()[0].rule == "member-guid-unknown");
  CHECK(diagnostics.items()[0].message.find("without pve2/cx5/1, whose") != std::string::npos);
  const std::string partitions = written(manager).at(manager_paths(manager.address).partitions);
  CHECK(partitions.find("storage=0x0010, ipoib, mtu=5 : SELF=full;\n") != std::string::npos);
  CHECK(partitions.find("pve2") == std::string::npos);
  // What is handed out is told by the names that were noted.
  const Value* told = seen.attributes.at("handed_out").running->value();
  REQUIRE(told != nullptr);
  const Value* members = told->as_list()->at(1).find("members");
  CHECK(members->as_list()->front() == Value{Map{{"who", "pve2/cx5/1"}, {"full", false}}});
}

TEST_CASE("OpenSM is told roots by switch, I/O nodes by port", "[providers]") {
  Resource manager = wanted();
  manager.binding.emplace("node_guids", Map{{"sw1", "0x0002c902004048a8"}});
  manager.desired["roots"].value = List{"sw1"};
  manager.desired["io"].value = List{"pve2/cx5/1"};
  const auto files = manager_files(manager, *Guid::parse(kOwnGuid), false);
  REQUIRE(files);
  const auto last_line = [&](const std::string& path) {
    const std::string& text = files->at(path);
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  const ManagerPaths paths = manager_paths(manager.address);
  CHECK(last_line(paths.roots) == "0x0002c902004048a8\n");
  CHECK(last_line(paths.io) == "0x00000000000000b2\n");
  CHECK(files->at(paths.options).find("io_guid_file " + paths.io) != std::string::npos);
  manager.desired["io"].value = List{"pve3/cx5/1"};
  const auto without = manager_files(manager, *Guid::parse(kOwnGuid), false);
  REQUIRE(without);
  CHECK(last_line(paths.roots) == "0x0002c902004048a8\n");
  CHECK(without->at(paths.io).find("0x") == std::string::npos);
  // A plan that is limited to some nodes does not know who is there.
  manager.binding.emplace("partly_read", true);
  const auto unknown = manager_files(manager, *Guid::parse(kOwnGuid), false);
  REQUIRE_FALSE(unknown);
  CHECK(
      unknown.error().message ==
      "pve1/subnet_manager/ib.cx5.1: the port GUID of pve3/cx5/1 is not known: its node was not "
      "read, or does not show it");
}

TEST_CASE(
    "virtualization is asked of an OpenSM that has it, and believed of no other", "[providers]") {
  constexpr std::string_view kOption = "virt_enabled 2\n";
  Resource manager = wanted();
  manager.desired["virtualization"].value = true;
  const Guid guid = *Guid::parse(kOwnGuid);
  const ManagerPaths paths = manager_paths(manager.address);
  const auto with = manager_files(manager, guid, true);
  const auto without = manager_files(manager, guid, false);
  REQUIRE((with && without));
  CHECK(with->at(paths.options).find(kOption) != std::string::npos);
  CHECK(without->at(paths.options).find("virt_enabled") == std::string::npos);

  // It runs with a file that has the option, whatever it made of that.
  Files files = *with;
  files[paths.running(paths.options)] = with->at(paths.options);
  const auto seen = [&](const std::string& options) {
    Diagnostics diagnostics;
    const NodeFacts from = facts(running(options), files);
    return layers(observe_one(kProvider, manager, from, diagnostics), "virtualization");
  };
  CHECK(seen("option sm_priority 0\noption virt_enabled 0\n") == "true | - | true");
  CHECK(
      seen("option sm_priority 0\n") ==
      "unknown (this OpenSM has no option virt_enabled) | - | unknown (this OpenSM has no option "
      "virt_enabled)");
  CHECK(seen("").find("unknown (the options of this OpenSM are not known)") == 0);
}

TEST_CASE("that it manages is its answer, not its process", "[providers]") {
  const Files files = written(wanted());
  const auto manages = [&](const std::string& said) {
    return layers(observe_one(kProvider, wanted(), facts(running(said), files)), "manages");
  };
  CHECK(manages(answer("own", "0xc42a103008c51a8", "3 SMINFO_MASTER")) == "true | - | true");
  CHECK(manages(answer("own", "0xc42a103008c51a8", "2 SMINFO_STANDBY")) == "true | - | true");
  CHECK(
      manages(answer("own", "0xc42a103008c51a8", "1 SMINFO_DISCOVER")) == "discovering | - | true");
  CHECK(manages("") == "unknown (the port is ACTIVE and no manager answers) | - | true");
  // Its neighbour boots, or is no InfiniBand port yet: nothing is left to be done here.
  const std::string no_link = fmt::format("unit {} active running\nport mlx5_0 1 DOWN\n", kUnit);
  CHECK(
      layers(observe_one(kProvider, wanted(), facts(no_link, files)), "manages") ==
      "true | - | true");
  const NodeFacts good = facts(running(answer("own", kOwnGuid, "3 SMINFO_MASTER")), files);
  // Since when its log tells, unless it tells of something else.
  const std::string log = "log ib.cx5.1 Nov 20 08:01:10 000001 [A1B2C3D4] 0x80 -> Entering ";
  const auto since = [&](const std::string& entered) {
    const std::string said = running(answer("own", kOwnGuid, "3 SMINFO_MASTER")) + log + entered;
    const Observation seen = observe_one(kProvider, wanted(), facts(said, files));
    return seen.attributes.contains("since") ? layers(seen, "since") : "";
  };
  CHECK(since("MASTER state\n") == "Nov 20 08:01:10 | - | -");
  CHECK(since("STANDBY state\n").empty());
  CHECK(layers(observe_one(kProvider, wanted(), good), "priority") == "10 | - | 10");
  CHECK(work_of(kProvider, wanted(), good).actions.empty());
  const Work more = work_of(kProvider, wanted(12), good);
  REQUIRE(more.actions.size() == 2);
  CHECK(more.actions[0].steps.writes().size() == 1);
  CHECK(more.actions[1].title == "restart OpenSM ib.cx5.1");
}

TEST_CASE("members are read again, and what makes a group needs a new start", "[providers]") {
  const Files files = written(wanted());
  const NodeFacts now = facts(running(answer("own", kOwnGuid, "3 SMINFO_MASTER")), files);
  const auto kind = [&](const Value& partitions, std::int64_t priority = 10) {
    Resource resource = wanted(priority);
    resource.desired["partitions"].value = partitions;
    const Work work = work_of(kProvider, resource, now);
    REQUIRE(work.actions.size() == 2);
    return work.actions[1].kind;
  };
  const Value every = partition("Default", 0x7fff, List{member("ALL", true)});
  const List joined{member("pve2/cx5/1", true), member("pve1/cx5/1", false)};
  const Value storage = partition("storage", 0x10, joined);
  Map silent = *partition("red", 0x20, joined).as_map();
  silent["ipoib"] = false;
  Map small = *storage.as_map();
  small["mtu"] = 2048;
  CHECK(kind(List{every, storage}) == "subnet_manager.reload");
  CHECK(kind(List{every, storage, silent}) == "subnet_manager.reload");
  CHECK(kind(List{every, storage, partition("red", 0x20, joined)}) == "subnet_manager.reload");
  CHECK(kind(List{every, storage}, 11) == "subnet_manager.start");
  CHECK(kind(List{every, small}) == "subnet_manager.start");
  Map without = *storage.as_map();
  without["ipoib"] = false;
  CHECK(kind(List{every, without}) == "subnet_manager.start");
  CHECK(kind(List{every}) == "subnet_manager.reload");
}

std::map<std::string, Guid> masters_heard(const std::string& text) {
  return kProvider.masters_heard(node_facts({{"opensm", text}}));
}

constexpr const char* kMaster =
    "sminfo: sm lid 1 sm guid 0x900a84030040e2a0, activity count 295 priority 10 state 3 "
    "SMINFO_MASTER\n";

TEST_CASE("the master of a port is whoever answers it as one", "[providers]") {
  const std::string told = kMaster;
  const auto masters = masters_heard(
      "tool sminfo\nport mlx5_0 1 ACTIVE\nmaster mlx5_0 1 " + told + "own mlx5_0 1 " + told +
      "port mlx5_1 2 ACTIVE\nmaster mlx5_1 2 sminfo: sm lid 7 sm guid 0xb2, activity count 1 "
      "priority 0 state 3 SMINFO_MASTER\n");
  REQUIRE(masters.size() == 2);
  CHECK(masters.at("mlx5_0/1") == Guid{0x900a84030040e2a0});
  CHECK(masters.at("mlx5_1/2") == Guid{0xb2});
}

TEST_CASE("nobody is master who does not say so", "[providers]") {
  const std::string told = kMaster;
  std::string standby = told;
  standby.replace(standby.find("3 SMINFO_MASTER"), 15, "2 SMINFO_STANDBY");
  for (const std::string& text :
       {"own mlx5_0 1 " + told,
        "master mlx5_0 1 " + standby,
        std::string{"master mlx5_0 1 sminfo: iberror: failed: query\n"},
        std::string{"master mlx5_0 1 SMINFO_MASTER\nmaster\nmaster mlx5_0\n"},
        std::string{"master mlx5_0 1 sminfo: sm lid 1 sm guid here, SMINFO_MASTER\n"},
        std::string{"master mlx5_0 1 a b c d e guid 0x1, SMINFO_MASTER\n"},
        std::string{}}) {
    INFO(text);
    CHECK(masters_heard("port mlx5_0 1 ACTIVE\n" + text).empty());
  }
  CHECK(kProvider.masters_heard(NodeFacts{*NodeName::parse("n1"), {}, {}, {}, {}}).empty());
}

TEST_CASE("a file that OpenSM would ignore is told from the one that is wanted", "[providers]") {
  Files files = written(wanted());
  const ManagerPaths paths = manager_paths(wanted().address);
  files[paths.partitions] += "storage=0x0010, ipoib 0x1=full;\n";
  const NodeFacts now = facts(running(answer("own", kOwnGuid, "3 SMINFO_MASTER")), files);
  const Observation observation = observe_one(kProvider, wanted(), now);
  const LayeredReading& reading = observation.attributes.at("partitions");
  CHECK(reading.running->equals(two_partitions()));
  CHECK(reading.persistent->text().find("a file that OpenSM ignores: line ") != std::string::npos);
  files[paths.partitions] = "# by hand\nDefault=0x7fff : ALL=full;\n";
  CHECK(
      layers(observe_one(kProvider, wanted(), facts("", files)), "partitions") ==
      "absent | - | Default 0x7fff");
}

TEST_CASE("a master that the document does not know stops the plan", "[providers]") {
  const auto found = [](const Resource& resource, const std::string& master) {
    Diagnostics diagnostics;
    const NodeFacts now =
        facts("port mlx5_0 1 ACTIVE\n" + answer("master", master, "3 SMINFO_MASTER"));
    observe_one(kProvider, resource, now, diagnostics);
    return diagnostics.items().empty() ? std::string{} : diagnostics.items().front().rule;
  };
  CHECK(found(wanted(), "0xbad") == "sm-foreign-master");
  CHECK(found(wanted(), "0xb2").empty());
  CHECK(found(wanted(), kOwnGuid).empty());
  // One of ours that was not reached may be it.
  Resource unsure = wanted();
  unsure.binding["port_guids"] = Map{{"pve1/cx5/1", kOwnGuid}};
  CHECK(found(unsure, "0xbad") == "member-guid-unknown");
  // What Debian started on a node that is no manager: the higher priority takes over (10 is
  // what the answer says).
  Resource alone = wanted(11);
  alone.binding["managers"] = List{"pve1/cx5/1"};
  CHECK(found(alone, "0xb2") == "sm-stray");
  alone.desired["priority"].value = 10;
  CHECK(found(alone, "0xb2") == "sm-foreign-master");
}

TEST_CASE("a manager of a unit that fabric does not stop is named with it", "[providers]") {
  const auto found = [](const std::string& state) {
    Diagnostics diagnostics;
    observe_one(kProvider, wanted(), facts("port mlx5_0 1 ACTIVE\n" + state), diagnostics);
    std::string text;
    for (const Diagnostic& each : diagnostics.items())
      if (each.rule == "foreign-configuration") text += each.message + "; " + each.help;
    return text;
  };
  const std::string runs = answer("own", kOwnGuid, "3 SMINFO_MASTER");
  const std::string mine = "process-of my-sm.service /usr/sbin/opensm ";
  const std::string named =
      "pve1: a subnet manager runs on mlx5_0/1 with priority 10 by my-sm.service, which fabric "
      "does "
      "not stop; let it run no more: `systemctl disable --now my-sm.service`";
  CHECK(found(runs + mine + "-p 7\n") == named);
  CHECK(found(runs + mine + "-g " + kOwnGuid + "\n") == named);
  // It is on another port, or the port has none.
  CHECK(found(mine + "-p 7\n").empty());
  CHECK(found(mine + "-g 0xbad\n").empty());
  CHECK(found(mine + "-g " + kOwnGuid + "\n").find("by my-sm.service") != std::string::npos);
  // Of the distribution, or our own.
  CHECK(found(runs + "unit opensm.service active running\nprocess-of opensm.service opensm\n")
            .empty());
  CHECK(found(runs + fmt::format("unit {} active running\n", kUnit)).empty());
  // Nothing shows which one it is.
  CHECK(found(runs).find("by a unit of another name") != std::string::npos);
  CHECK(found(runs + "process opensm -p 7\n").find("by a unit of another") != std::string::npos);
  CHECK(found(runs + "unit opensm.service active running\n").empty());
}

TEST_CASE(
    "OpenSM's own files and a missing OpenSM are said before anything is done", "[providers]") {
  Resource resource = wanted();
  resource.binding.erase("adopt");
  Diagnostics diagnostics;
  observe_one(
      kProvider,
      resource,
      facts("", {{"/etc/opensm/opensm.conf", "sm_priority 3\n"}}),
      diagnostics);
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(diagnostics.items()[0].rule == "foreign-configuration");
  Diagnostics missing;
  observe_one(kProvider, wanted(), node_facts({{"opensm", "port mlx5_0 1 INIT\n"}}), missing);
  REQUIRE(missing.items().size() == 1);
  CHECK(missing.items()[0].rule == "package-missing");
  resource.after.push_back(*ResourceAddress::parse("pve1/package/opensm"));
  Diagnostics brought;
  observe_one(kProvider, resource, node_facts({{"opensm", "port mlx5_0 1 INIT\n"}}), brought);
  CHECK(brought.items().empty());
}

TEST_CASE("what the document has forgotten is stopped and removed", "[providers]") {
  const Files files = written(wanted());
  const NodeFacts now = facts(running(""), files);
  const std::vector<Resource> left = kProvider.orphans({}, now);
  REQUIRE(left.size() == 1);
  CHECK(left[0].address == wanted().address);
  const Observation observation = observe_one(kProvider, left[0], now);
  Change change = change_of(kProvider, now, left[0], observation);
  change.kind = ChangeKind::remove;
  const auto work = kProvider.work(change, WorkContext{now, observation, false});
  REQUIRE(work);
  REQUIRE(work->actions.size() == 2);
  CHECK(work->actions[0].kind == "subnet_manager.stop");
  CHECK(work->actions[0].steps.commands().at(0).back() == kUnit);
  CHECK(work->actions[0].steps.removes().empty());
  CHECK(work->actions[1].steps.removes().size() == 4);
  CHECK(kProvider.orphans(std::vector<Resource>{wanted()}, now).empty());
}

TEST_CASE("verify stops the unit that the manager's resource has, by its options", "[providers]") {
  const ResourceAddress address = wanted().address;
  const ManagerPaths paths = manager_paths(address);
  const remote::Step step = platform::linux_platform().path_tests()->stop_manager(
      {address.name.str(), Duration{90'000}, {}});
  const remote::Argv& argv = std::get<remote::step::Run>(step).command.argv;
  REQUIRE(argv.size() == 6);
  CHECK(argv[2] == paths.unit_name);
  CHECK(argv[3] == paths.options);
}

}  // namespace
}  // namespace fabric::providers
