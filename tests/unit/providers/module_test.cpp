// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.hpp"
#include "providers/linux/kinds/module/module_files.hpp"
#include "providers/linux/kinds/module/running_modules.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/os/module_names.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const Provider kProvider = module_provider();

constexpr const char* kLoads = "/etc/modules-load.d/fabric-nvme_core.conf:";
constexpr const char* kOptions = "/etc/modprobe.d/fabric-nvme_core.conf:";

std::string running(const std::string& rows) {
  return "builtin tcp_cubic\nloaded mlx5_core\nmode 644 "
         "/sys/module/mlx5_core/parameters/debug_mask\n"
         "mode 444 /sys/module/mlx5_core/parameters/prof_sel\n"
         "mode 200 /sys/module/mlx5_core/parameters/secret\n"
         "/sys/module/mlx5_core/parameters/debug_mask:0\n"
         "/sys/module/mlx5_core/parameters/prof_sel:2\n" +
         rows;
}

std::string ours(const std::string& parameters) {
  return std::string{kLoads} + "# managed by fabric: x\n" + kLoads + "nvme_core\n" + kOptions +
         "# managed by fabric: x\n" + kOptions + "options nvme_core " + parameters + "\n";
}

NodeFacts facts(const std::string& modules, const std::string& files) {
  return node_facts({{"modules", modules}, {"module-files", files}});
}

Resource wanted(
    const std::string& name, std::vector<std::pair<std::string, Value>> parameters = {}) {
  parameters.emplace_back("loaded", true);
  return resource("pve1/module/" + name, {}, std::move(parameters));
}

std::string seen(
    const Resource& resource, const NodeFacts& from, const std::string& attribute = "loaded") {
  return layers(observe_one(kProvider, resource, from), attribute);
}

std::string finding(const Resource& resource, const NodeFacts& from) {
  Diagnostics diagnostics;
  kProvider.observe({&resource, 1}, from, diagnostics);
  return diagnostics.empty()
             ? ""
             : diagnostics.items().front().rule + ": " + diagnostics.items().front().message;
}

TEST_CASE("a module is loaded, built in, or not there", "[providers]") {
  CHECK(seen(wanted("mlx5_core"), facts(running(""), "")) == "true | - | absent");
  CHECK(seen(wanted("mlx5-core"), facts(running(""), "")) == "true | - | absent");
  CHECK(seen(wanted("tcp_cubic"), facts(running(""), "")) == "true | - | true");
  CHECK(seen(wanted("nvme_core"), facts(running(""), "")) == "absent | - | absent");
  CHECK(seen(wanted("nvme-core"), facts(running(""), ours("x=1"))) == "absent | - | true");
  CHECK(
      seen(wanted("nvme_core"), node_facts({})) ==
      "unknown (the modules of the kernel could not be read) | - | unknown (/etc/modules-load.d "
      "could not be read)");
}

TEST_CASE("whoever loads a module at boot, it is loaded", "[providers]") {
  const std::string distribution =
      "/usr/lib/modules-load.d/rdma.conf:# x\n"
      "/usr/lib/modules-load.d/rdma.conf:nvme-core\n";
  CHECK(seen(wanted("nvme_core"), facts(running(""), distribution)) == "absent | - | true");
  const std::string hidden = "/etc/modules-load.d/rdma.conf:# nothing\n" + distribution;
  CHECK(seen(wanted("nvme_core"), facts(running(""), hidden)) == "absent | - | absent");
  CHECK(
      seen(wanted("nvme_core"), facts(running(""), std::string{kLoads} + "# mine\n")) ==
      "absent | - | unknown (/etc/modules-load.d/fabric-nvme_core.conf is not fabric's)");
}

TEST_CASE("values are compared as the kernel takes them", "[providers]") {
  for (const auto& [shown, given] : std::vector<std::pair<std::string, std::string>>{
           {"Y", "1"},
           {"N", "0"},
           {"Y", "true"},
           {"16", "0x10"},
           {"-10", "-10"},
           {"2,2", "2, 2"},
           {"(null)", ""},
           {"fast", "fast"}}) {
    INFO(shown << " " << given);
    CHECK(same_parameter(shown, given));
  }
  for (const auto& [shown, given] : std::vector<std::pair<std::string, std::string>>{
           {"Y", "0"},
           {"Y", "2"},
           {"16", "10"},
           {"2,2", "2"},
           {"2", "2,2"},
           {"(null)", "0"},
           {"a", "b"}}) {
    INFO(shown << " " << given);
    CHECK_FALSE(same_parameter(shown, given));
  }
}

TEST_CASE("a parameter is read from the kernel and from modprobe.d", "[providers]") {
  const Resource wish =
      wanted("mlx5_core", {{"prof_sel", "3"}, {"debug-mask", "0x0"}, {"secret", "1"}});
  const std::string files =
      "/etc/modprobe.d/fabric-mlx5_core.conf:# managed by fabric: x\n"
      "/etc/modprobe.d/fabric-mlx5_core.conf:options mlx5-core prof_sel=3 \\\n"
      "/etc/modprobe.d/fabric-mlx5_core.conf:  debug_mask=0\n";
  CHECK(seen(wish, facts(running(""), files), "prof_sel") == "2 | - | 3");
  CHECK(seen(wish, facts(running(""), files), "debug-mask") == "0x0 | - | 0x0");
  CHECK(
      seen(wish, facts(running(""), files), "secret") ==
      "unknown (the kernel does not show this parameter) | - | absent");
  CHECK(
      seen(wanted("tcp_cubic", {{"x", "1"}}), facts(running(""), ""), "x") ==
      "unknown (the module is built into the kernel: only its command line can set it) | - | "
      "absent");
  CHECK(
      seen(wanted("nvme_core", {{"x", "1"}}), facts(running(""), ""), "x") ==
      "absent | - | absent");
}

TEST_CASE("options of the cards' drivers wait for the initramfs", "[providers]") {
  const Resource wish = wanted("mlx5_core", {{"prof_sel", "3"}});
  const std::string files =
      "/etc/modprobe.d/fabric-mlx5_core.conf:# managed by fabric: x\n"
      "/etc/modprobe.d/fabric-mlx5_core.conf:options mlx5_core prof_sel=3\n"
      "boot-image /boot/initrd.img-6.1\n";
  const std::string stale = files + "newer /etc/modprobe.d/fabric-mlx5_core.conf\n";
  CHECK(
      seen(wish, facts(running(""), stale + "image-tool update-initramfs\n"), "prof_sel") ==
      "2 | - | 3, not yet in the initramfs");
  CHECK(seen(wish, facts(running(""), stale), "prof_sel") == "2 | - | 3");
  CHECK(
      seen(wish, facts(running(""), files + "image-tool update-initramfs\n"), "prof_sel") ==
      "2 | - | 3");
  const Work work =
      work_of(kProvider, wish, facts(running(""), "boot-image /boot/x\nimage-tool dracut\n"), true);
  REQUIRE(work.actions.size() == 1);
  CHECK(commands_of(work.actions[0]) == "dracut --force --regenerate-all\n");
  CHECK(work.actions[0].undo.commands() == work.actions[0].steps.commands());
}

TEST_CASE("what the kernel changes in place needs no boot, all else does", "[providers]") {
  const Resource wish =
      wanted("mlx5_core", {{"prof_sel", "3"}, {"debug_mask", "1"}, {"secret", "1"}});
  const NodeFacts now = facts(running(""), "");
  CHECK(kProvider.disruption(now, wish, "prof_sel") == Disruption::reboot);
  CHECK(kProvider.disruption(now, wish, "debug_mask") == Disruption::runtime);
  CHECK(kProvider.disruption(now, wish, "secret") == Disruption::reboot);
  CHECK(kProvider.disruption(now, wish, "loaded") == Disruption::runtime);
  CHECK(kProvider.disruption(now, wanted("nvme_core", {{"x", "1"}}), "x") == Disruption::runtime);
}

TEST_CASE("a missing module gets its files and is loaded with them", "[providers]") {
  const Resource wish = wanted("nvme-core", {{"io_timeout", "60"}, {"name", "a b"}});
  const Work work = work_of(kProvider, wish, facts(running(""), ""));
  REQUIRE(work.actions.size() == 2);
  const ActionDraft& write = work.actions[0];
  CHECK(write.stage == Stage::prepare);
  REQUIRE(write.steps.writes().size() == 2);
  CHECK(write.steps.writes()[0].path == "/etc/modules-load.d/fabric-nvme_core.conf");
  CHECK(is_owned(write.steps.writes()[0].content));
  CHECK(write.steps.writes()[0].content.ends_with("\nnvme_core\n"));
  CHECK(write.steps.writes()[1].content.ends_with(
      "\noptions nvme_core io_timeout=60 name=\"a b\"\n"));
  CHECK(write.steps.commands().empty());
  CHECK(write.undo.removes().size() == 2);
  const ActionDraft& load = work.actions[1];
  CHECK(load.stage == Stage::activate);
  CHECK(commands_of(load) == "modprobe nvme_core\n");
  CHECK(load.undo.commands() == std::vector<remote::Argv>{{"modprobe", "-r", "nvme_core"}});
  CHECK(load.postconditions.size() == 3);
  CHECK(work_of(kProvider, wish, facts(running(""), ""), true).actions.size() == 1);
}

TEST_CASE(
    "a parameter that may change is set in place, with what it was for the undo", "[providers]") {
  const Resource wish = wanted("mlx5_core", {{"debug_mask", "1"}});
  const Work work = work_of(
      kProvider,
      wish,
      facts(
          running(""),
          "/etc/modules-load.d/a.conf:mlx5_core\n/etc/modprobe.d/a.conf:options mlx5_core "
          "debug_mask=1\n"));
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].kind == "module.set");
  REQUIRE(work.actions[0].steps.commands().size() == 1);
  CHECK(work.actions[0].steps.commands()[0][4] == "mlx5_core/parameters/debug_mask");
  CHECK(work.actions[0].steps.commands()[0][5] == "1");
  CHECK(work.actions[0].undo.commands().at(0)[5] == "0");
}

TEST_CASE("another file that says otherwise is a finding with its line", "[providers]") {
  const Resource wish = wanted("mlx5_core", {{"prof_sel", "3"}});
  const auto with = [&](const std::string& files) {
    return finding(wish, facts(running(""), files));
  };
  CHECK(
      with("/etc/modprobe.d/site.conf:# x\n/etc/modprobe.d/site.conf:options mlx5-core "
           "prof_sel=1\n") ==
      "foreign-configuration: pve1: /etc/modprobe.d/site.conf:2 sets prof_sel of the module "
      "mlx5_core to 1, but the document asks for 3");
  CHECK(with("/etc/modprobe.d/site.conf:options mlx5_core prof_sel=3 other=1\n").empty());
  CHECK(with("/etc/modprobe.d/site.conf:options mlx5_ib prof_sel=1\n").empty());
  CHECK(
      with("/proc/cmdline:ro quiet mlx5_core.prof_sel=0\n") ==
      "foreign-configuration: pve1: the kernel's command line sets prof_sel of the module "
      "mlx5_core to 0, but the document asks for 3");
  CHECK(
      with("/etc/modprobe.d/no.conf:blacklist mlx5_core\n") ==
      "foreign-configuration: pve1: /etc/modprobe.d/no.conf:1 forbids the module mlx5_core");
  CHECK_FALSE(with("/etc/modprobe.d/no.conf:install mlx5_core /bin/false\n").empty());
  CHECK(
      with("/etc/modprobe.d/ok.conf:install mlx5_core /sbin/modprobe --ignore-install mlx5_core\n")
          .empty());
  CHECK_FALSE(with("/proc/cmdline:ro module_blacklist=x,mlx5-core\n").empty());
}

// modprobe.d(5): alias, blacklist, install, options, remove, softdep, weakdep.
TEST_CASE("every line of modprobe.d about a module has a class", "[providers]") {
  const auto adopting = [](const std::string& line, Value drop = true) {
    const std::string path = "/etc/modprobe.d/theirs.conf";
    NodeFacts node = facts(running(""), path + ":" + line + "\n");
    node.probes["file-digests"].standard_output =
        SharedText{std::string(64, 'a') + " " + path + "\n"};
    Resource module = wanted("nvme_core", {{"io_timeout", 30}});
    module.binding.emplace("adopt", std::move(drop));
    Diagnostics diagnostics;
    kProvider.observe({&module, 1}, node, diagnostics);
    std::string text;
    for (const Diagnostic& each : diagnostics.items()) {
      text += each.rule + "\n";
      for (const Note& note : each.related)
        text += note.message + "\n";
    }
    if (!text.empty()) return text;
    const Work work = work_of(kProvider, module, node);
    return work.actions.front().kind == "network.adopt" ? work.actions.front().title
                                                        : std::string{"stays"};
  };
  for (const char* line :
       {"options nvme_core io_timeout=30",
        "options nvme_core multipath=N",
        "options nvme io_timeout=5",
        "alias pci:v0000* nvme_core",
        "alias nvme_core x",
        "install nvme_core modprobe --ignore-install nvme_core",
        "remove nvme_core rmmod nvme_core",
        "softdep nvme_core pre: dm_mod",
        "weakdep nvme_core dm_mod",
        "made_up nvme_core x",
        "# options nvme_core io_timeout=5"}) {
    INFO(line);
    CHECK(adopting(line) == "stays");
  }
  const std::string kept =
      "keep its former configuration in /var/lib/fabric/adopted/module-nvme_core: "
      "/etc/modprobe.d/theirs.conf:1 (made a comment)";
  CHECK(
      adopting("options nvme-core io_timeout=0x5") ==
      kept + ", changes: options nvme-core io_timeout=0x5 -> 30");
  CHECK(
      adopting("options nvme_core io_timeout=5 multipath=N") ==
      "adopt-would-lose\n/etc/modprobe.d/theirs.conf:1 `options nvme_core multipath=N`: to keep "
      "it, write into the document: `nodes: {pve1: {modules: {nvme_core: {multipath: \"N\"}}}}`\n");
  CHECK(
      adopting(
          "options nvme_core io_timeout=5 multipath=N",
          List{"modprobe options=nvme_core multi*"}) ==
      kept +
          ", changes: options nvme_core io_timeout=5 -> 30, goes: options nvme_core multipath=N");
  for (const char* line : {"blacklist nvme_core", "install nvme-core /bin/false"}) {
    INFO(line);
    CHECK(adopting(line).find("the document has no key for it") != std::string::npos);
    CHECK(adopting(line, List{"* *"}).starts_with(kept + ", goes: "));
  }
}

TEST_CASE(
    "a line of modprobe.d that was taken over becomes a comment, and comes back", "[providers]") {
  const std::string path = "/etc/modprobe.d/theirs.conf";
  const auto node_of = [&path](const std::string& files) {
    NodeFacts node = facts(running(""), files);
    node.probes["file-digests"].standard_output =
        SharedText{std::string(64, 'a') + " " + path + "\n"};
    return node;
  };
  Resource module = wanted("nvme_core", {{"io_timeout", 30}});
  module.binding.emplace("adopt", true);
  const NodeFacts theirs =
      node_of(path + ":options nvme_core io_timeout=5\n" + ours("io_timeout=30"));
  // Ours is as it is to be, and the other line is in force all the same.
  CHECK(seen(module, theirs, "io_timeout") == "absent | - | absent");
  const Work work = work_of(kProvider, module, theirs);
  REQUIRE(work.actions.size() >= 2);
  CHECK(
      work.actions[1].file_preconditions ==
      std::vector<FileCondition>{{path, std::string(64, 'a')}});
  const std::string steps = commands_of(work.actions[1]);
  CHECK(
      steps.find("'#adopted by fabric module-nvme_core# ' 'options nvme_core io_timeout=5'") !=
      std::string::npos);
  // Without adopt, in a file of a package, or with a secret it is a finding.
  const Resource plain = wanted("nvme_core", {{"io_timeout", 30}});
  CHECK(finding(plain, theirs).starts_with("foreign-configuration"));
  for (const char* other :
       {"/usr/lib/modprobe.d/x.conf:options nvme_core io_timeout=5\n",
        "/etc/modprobe.d/theirs.conf:options nvme_core io_timeout=5 password=x\n"})
    CHECK(finding(module, node_of(other)).starts_with("foreign-configuration"));

  const NodeFacts taken = node_of(
      path + ":#adopted by fabric module-nvme_core# options nvme_core io_timeout=5\n" +
      ours("io_timeout=30"));
  for (auto& [name, desired] : module.desired.edit())
    desired.value = Value{};
  const Observation observation = observe_one(kProvider, module, taken);
  Change change = change_of(kProvider, taken, module, observation);
  change.kind = ChangeKind::remove;
  const auto removal = kProvider.work(change, WorkContext{taken, observation, false});
  REQUIRE(removal);
  CHECK(
      commands_of(removal->actions[0]).find("/var/lib/fabric/adopted/module-nvme_core") !=
      std::string::npos);
}

TEST_CASE("what can't stand in a file of modprobe is refused", "[providers]") {
  const NodeFacts now = facts(running(""), "");
  const auto why = [&](const Resource& wish) {
    const Observation observation = observe_one(kProvider, wish, now);
    const auto work =
        kProvider.work(change_of(kProvider, now, wish, observation), {now, observation});
    return work ? std::string{} : work.error().message;
  };
  CHECK(
      why(wanted("nvme_core", {{"x", "1\ninstall y z"}})) ==
      "pve1/module/nvme_core: the value of x can't stand in modprobe.d");
  CHECK_FALSE(why(wanted("nvme_core", {{"x y", "1"}})).empty());
  CHECK_FALSE(why(wanted("nvme core")).empty());
  // It would never be seen to be right.
  CHECK(
      why(wanted("nvme_core", {{"auth_key", "1"}})) ==
      "pve1/module/nvme_core: auth_key is a secret by its name, and fabric reads no secrets: set "
      "it by hand");
}

// What a probe would show of the files that `work` writes.
std::string shown_files(const Work& work) {
  std::string text;
  for (const auto& file : work.actions.at(0).steps.writes()) {
    for (const std::string_view line : split_lines(file.content))
      text += file.path + ":" + std::string{line} + "\n";
  }
  return text;
}

AttributeChange gone(const std::string& attribute, const Observation& observation) {
  AttributeChange change;
  change.attribute = attribute;
  change.observed = observation.attributes.at(attribute);
  change.write = true;
  return change;
}

TEST_CASE("what is not asked for any more leaves the files, and stays loaded", "[providers]") {
  const Resource both = wanted("nvme_core", {{"io_timeout", "60"}, {"multipath", "0"}});
  const std::string files = shown_files(work_of(kProvider, both, facts(running(""), "")));
  const NodeFacts now = facts(running("loaded nvme_core\n"), files);

  const Resource less = wanted("nvme_core", {{"io_timeout", "60"}});
  std::vector<Resource> left = kProvider.orphans({&less, 1}, now);
  REQUIRE(left.size() == 1);
  REQUIRE(left[0].desired.size() == 1);
  CHECK(left[0].desired.begin()->first == "multipath");
  Resource partly = less;
  partly.desired.emplace("multipath", DesiredAttribute{});
  CHECK(seen(partly, now, "multipath") == "- | - | 0");
  const Observation observation = observe_one(kProvider, partly, now);
  Change change{partly, ChangeKind::update, {}};
  change.attributes.push_back(gone("multipath", observation));
  auto work = kProvider.work(change, {now, observation});
  REQUIRE(work);
  REQUIRE(work->actions.size() == 1);
  CHECK(work->actions[0].steps.writes().at(0).content.ends_with(
      "\noptions nvme_core io_timeout=60\n"));
  CHECK(work->actions[0].postconditions.at(0).equals.is_null());

  left = kProvider.orphans({}, now);
  REQUIRE(left.size() == 1);
  CHECK(left[0].desired.size() == 3);
  for (auto& [name, attribute] : left[0].desired.edit())
    attribute.value = {};
  Change removal{left[0], ChangeKind::remove, {}};
  const Observation seen_left = observe_one(kProvider, left[0], now);
  for (const auto& [name, reading] : seen_left.attributes)
    removal.attributes.push_back(gone(name, seen_left));
  work = kProvider.work(removal, {now, seen_left});
  REQUIRE(work);
  REQUIRE(work->actions.size() == 1);
  CHECK(
      work->actions[0].steps.removes() ==
      std::vector<std::string>{
          "/etc/modules-load.d/fabric-nvme_core.conf", "/etc/modprobe.d/fabric-nvme_core.conf"});
  CHECK(work->actions[0].undo.writes().size() == 2);
}

}  // namespace
}  // namespace fabric::providers
