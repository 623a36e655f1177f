// SPDX-License-Identifier: Apache-2.0
// A platform that this program has not: a machine with a prompt, without shell, exit status, files,
// lock, boot proof and rollback timer. Everything about it stands in this file: that it is
// registered is all that makes it be discovered, planned, refused and applied.
#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/lab/machine/machine.hpp"
#include "engine/lab/runner.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/model/switch_configuration.hpp"
#include "engine/platform/capabilities.hpp"
#include "engine/rehearse/world.hpp"
#include "engine/remote/shell.hpp"
#include "engine/value/json.hpp"
#include "engine/workflow/verifying.hpp"
#include "engine/workflow/wanted.hpp"
#include "plans/plan_file.hpp"
#include "plans/planner.hpp"
#include "providers/builtin.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/simulated_lab.hpp"

namespace fabric::rehearse {
namespace {

constexpr const char* kPrompt = "old1 # ";

remote::step::Dialect dialect() {
  remote::step::Dialect talk;
  talk.prompts = {"# "};
  talk.preparation = {"no paging"};
  talk.refusals = {"%"};
  return talk;
}

class PromptPlatform final : public platform::HostPlatform {
 public:
  Platform id() const override { return Platform::mlnx_os; }
  remote::Step probe_step(
      std::span<const Probe> probes,
      std::string_view /*nonce*/,
      Duration timeout,
      bool fresh_session) const override {
    std::vector<std::string> lines;
    for (const Probe& probe : probes)
      lines.push_back(probe.script);
    return remote::step::Converse{dialect(), std::move(lines), timeout, fresh_session};
  }
  Result<platform::ProbeOutputs> probe_outputs(
      std::span<const Probe> probes,
      std::string_view /*nonce*/,
      const remote::StepResult& result,
      platform::ProbeTexts& /*texts*/) const override {
    platform::ProbeOutputs outputs;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      if (i >= result.replies.size())
        return Error{ErrorCode::invalid, "probe " + probes[i].id + " was not answered"};
      const remote::Reply& reply = result.replies[i];
      outputs[probes[i].id] = {probes[i].script, reply.refused ? 1 : 0, reply.text, ""};
    }
    return outputs;
  }
  Probe identity_probe() const override { return {"identity", "show serial"}; }
  platform::Identity identity(const NodeFacts& facts) const override {
    platform::Identity identity;
    const std::string* text = facts.output("identity");
    if (text != nullptr) identity.machine_id = trim(*text);
    return identity;
  }
  remote::Step command_step(remote::Command command) const override {
    return remote::step::Converse{
        dialect(), {remote::command_line(command.argv)}, command.timeout, false};
  }
  std::vector<remote::Step> conversations(
      std::span<const std::string> lines, Duration timeout) const override {
    std::vector<remote::Step> steps;
    for (const std::string& line : lines)
      steps.push_back(remote::step::Converse{dialect(), {line}, timeout, false});
    return steps;
  }
  bool has_exit_status() const override { return false; }
};

// Parameters of modules, by "show module NAME" and "set module NAME KEY VALUE".
Reading reading(const Resource& resource, const std::string& attribute, const NodeFacts& facts) {
  if (attribute == "loaded") return Reading::of(true);
  const std::string* text = facts.output("module-lines");
  if (text == nullptr) return Reading::unknown("it did not say");
  for (const std::string_view line : split_lines(*text)) {
    const auto words = split_words(line);
    if (words.size() == 3 && words[0] == resource.address.name && words[1] == attribute)
      return Reading::of(std::string{words[2]});
  }
  return Reading::absent();
}

std::vector<Observation> observe_modules(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics&) {
  std::vector<Observation> observations;
  for (const Resource& resource : wanted) {
    Observation observation{resource.address, {}};
    for (const auto& [attribute, desired] : resource.desired)
      observation.attributes[attribute].running = reading(resource, attribute, facts);
    observations.push_back(std::move(observation));
  }
  return observations;
}

Result<Work> set_module(const Change& change, const WorkContext&) {
  ActionDraft draft;
  draft.kind = "module.set";
  draft.title = "set " + change.resource.address.name;
  draft.stage = Stage::activate;
  draft.disruption = change.disruption();
  draft.may_cut_off = change.resource.address.name != "by_file";
  if (!draft.may_cut_off) draft.steps.write({"/by/file", "x"});
  for (const AttributeChange& each : change.attributes) {
    draft.steps.converse({fmt::format(
        "set module {} {} {}",
        change.resource.address.name,
        each.attribute,
        to_text(each.desired))});
    draft.postconditions.push_back(
        {change.resource.address, each.attribute, Layer::running, each.desired});
  }
  return Work{{std::move(draft)}};
}

Provider module_at_prompt() {
  return {
      .kind = "module",
      .probes =
          [] {
            return std::vector<Probe>{{"module-lines", "show modules"}};
          },
      .supports = [](const Resource&, std::string_view) { return true; },
      .observe = observe_modules,
      .disruption = always(Disruption::link),
      .work = set_module};
}

class PromptMachine final : public lab::Machine {
 public:
  using Settings = std::map<std::string, std::string>;
  using Lines = std::vector<std::string>;
  PromptMachine(NodeName name, std::uint64_t seed, std::shared_ptr<Lines> refused)
      : Machine{std::move(name), seed}, refused_{std::move(refused)} {}

  std::vector<lab::Card>& cards() override { return cards_; }
  const std::vector<lab::Card>& cards() const override { return cards_; }
  bool is_switch() const override { return true; }
  std::optional<lab::SwitchPort> switch_port(std::string_view port) const override {
    lab::SwitchPort here;
    here.enabled = true;
    here.lldp = lab::LldpSender{
        "00:00:5e:00:53:01", name().str(), "a prompt", "00:00:5e:00:53:02", std::string{port}};
    return here;
  }
  std::uint64_t changes() const override { return changes_; }
  std::unique_ptr<lab::SavedState> save() const override {
    auto saved = std::make_unique<Saved>();
    saved->settings = settings_;
    return saved;
  }
  void restore(std::unique_ptr<lab::SavedState> saved) override {
    settings_ = static_cast<Saved&>(*saved).settings;
  }
  std::string state_text() const override {
    std::string text;
    for (const auto& [key, value] : settings_)
      text += key + " " + value + "\n";
    return text;
  }
  std::string identity() const override { return "key of " + name().str(); }
  void boot(const lab::Network&) override { start_clock(); }
  void order_reboot(const lab::Network&) override {}
  lab::MachineReply exec(
      const lab::Network& network,
      std::string_view user,
      std::string_view line,
      std::string_view input) override {
    refused_->emplace_back(line);
    return Machine::exec(network, user, line, input);
  }
  std::unique_ptr<lab::PromptSession> open_prompt(const lab::Network&, std::string_view) override {
    return std::make_unique<Session>(*this);
  }

 private:
  struct Saved final : lab::SavedState {
    Settings settings;
  };
  class Session final : public lab::PromptSession {
   public:
    explicit Session(PromptMachine& machine) : machine_{machine} {}
    Shown greet() override { return {std::string{"Welcome\n"} + kPrompt, Duration{50}}; }
    Shown type(std::string_view keys) override {
      return {std::string{keys} + machine_.answer(trim(keys)) + kPrompt, Duration{20}};
    }
    bool ended() const override { return false; }

   private:
    PromptMachine& machine_;
  };

  std::string answer(std::string_view line) {
    const std::vector<std::string_view> words = split_words(line);
    if (line == "no paging") return "";
    if (line == "show serial") return "SERIAL-" + name().str() + "\n";
    if (line == "show modules") return state_text();
    if (words.size() == 5 && words[0] == "set" && words[1] == "module") {
      settings_[std::string{words[2]} + " " + std::string{words[3]}] = std::string{words[4]};
      ++changes_;
      return "";
    }
    refused_->emplace_back(line);
    return "% Unrecognized command\n";
  }

  std::vector<lab::Card> cards_;
  Settings settings_{{"mlx4_core port_type_array", "1,1"}};
  std::shared_ptr<Lines> refused_;
  std::uint64_t changes_ = 0;
};

const PromptPlatform kPlatform;

struct Bench {
  explicit Bench(
      const std::string& keys = "modules: {mlx4_core: {port_type_array: \"2,2\"}}",
      const std::string& more = "") {
    const FileId file = sources.add(
        "fabric.yaml",
        "apiVersion: fabric/v1\nname: mixed\n"
        "nodes:\n"
        "  old1: {platform: mlnx-os, " +
            keys +
            "}\n"
            "  pve1: {sysctl: {vm.swappiness: 7}}\n" +
            more);
    LoadedDocument loaded = load_document(sources, {file});
    // The made-up machine stands in for MLNX-OS and has keys that MLNX-OS has not: the table
    // refuses them at that machine, and nothing else in the document is wrong.
    for (const Diagnostic& item : loaded.diagnostics.items()) {
      INFO(item.rule << ": " << item.message);
      const bool is_of_table = item.rule == "key-not-on-platform" && item.subject.name == "old1";
      REQUIRE((item.severity != Severity::error || is_of_table));
    }
    spec = std::move(loaded.spec);
    // Not those of the program, of which one may be of the same name.
    registry.add(platform::linux_platform());
    registry.add(Platform::linux, providers::sysctl_provider(kinds::kSysctl));
    registry.add(kPlatform);
    registry.add(Platform::mlnx_os, module_at_prompt());
    spec.reached = registry.platforms();
    resources = expand(spec, diagnostics);
    // The machine below keeps by itself what runs.
    std::erase_if(resources, [](const Resource& each) {
      return each.address.kind == switch_configuration::kKind;
    });
    reality.makers[Platform::mlnx_os] =
        [refused = refused](const NodeSpec& node, const lab::LabHost&, std::uint64_t seed) {
          return std::make_unique<PromptMachine>(node.name, seed, refused);
        };
  }

  Scene scene() const {
    return {spec, sources, resources, registry, providers::simulated_platforms(), reality};
  }
  plans::Plan plan(World& world) {
    diagnostics = {};
    const auto snapshot = discovery::observe(resources, world.discover(), registry, diagnostics);
    return plans::make_plan({spec, sources, resources, snapshot, registry, {}}, diagnostics);
  }
  bool said(const std::string& rule, Severity severity) const {
    return std::any_of(
        diagnostics.items().begin(), diagnostics.items().end(), [&](const Diagnostic& item) {
          return item.rule == rule && item.severity == severity;
        });
  }

  SourceMap sources;
  FabricSpec spec;
  Registry registry;
  Diagnostics diagnostics;
  std::vector<Resource> resources;
  lab::LabSpec reality;
  // What a machine with a prompt did not know.
  std::shared_ptr<PromptMachine::Lines> refused = std::make_shared<PromptMachine::Lines>();
};

const NodeName kOld = *NodeName::parse("old1");
const NodeName kLinux = *NodeName::parse("pve1");

TEST_CASE("a platform is reached because it is registered, and for no other reason", "[platform]") {
  Bench bench;
  REQUIRE_FALSE(bench.diagnostics.has_errors());
  World world{bench.scene(), 1};
  const std::vector<NodeFacts> facts = world.discover();
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].node == kOld);
  CHECK(facts[0].platform == Platform::mlnx_os);
  REQUIRE(facts[0].reachable());
  CHECK(facts[0].probes.size() == 2);  // those of its platform alone
  REQUIRE(facts[0].output("module-lines") != nullptr);
  CHECK(*facts[0].output("module-lines") == "mlx4_core port_type_array 1,1\n");
  CHECK(facts[1].platform == Platform::linux);
  CHECK(facts[1].output("module-lines") == nullptr);
  const auto again = facts_from_value(*parse_json(to_json_pretty(facts[0])));
  REQUIRE(again);
  CHECK(again->platform == Platform::mlnx_os);

  bench.spec.reached = {Platform::linux};
  Diagnostics diagnostics;
  const std::vector<Resource> resources = expand(bench.spec, diagnostics);
  CHECK(std::none_of(resources.begin(), resources.end(), [](const Resource& each) {
    return each.address.node == kOld;
  }));
}

TEST_CASE(
    "a change that may cut off a node without a rollback timer needs a permission", "[platform]") {
  Bench bench;
  World world{bench.scene(), 1};
  const plans::Plan allowed = bench.plan(world);
  CHECK_FALSE(bench.diagnostics.has_errors());
  CHECK(bench.said("no-rollback-timer", Severity::warning));
  CHECK(bench.said("no-node-lock", Severity::warning));
  CHECK(allowed.nodes.at(kOld).platform == Platform::mlnx_os);
  CHECK(allowed.permissions.no_rollback.nodes == std::vector<std::string>{"old1"});
  // It can't tell the path of the session, so that `apply` asks for --allow-mgmt-path.
  CHECK(bench.said("mgmt-path-touched", Severity::warning));
  CHECK(allowed.permissions.management_path.nodes == std::vector<std::string>{"old1"});
  CHECK(allowed.nodes.at(kOld).machine_id == "SERIAL-old1");
  for (const plans::Action& action : allowed.actions) {
    if (action.node == kOld) CHECK(action.guard == Duration{0});
  }

  const Round round = world.round({}, &allowed);
  INFO(round.failure);
  CHECK(round.exit == ExitCode::done);
  CHECK(world.violations().empty());
  CHECK(bench.plan(world).empty());
}

TEST_CASE("an apply needs the permissions of its plan, by an option or by a person", "[platform]") {
  Bench bench;
  World world{bench.scene(), 1};
  auto saved = plans::parse_plan_file(plans::to_plan_file(bench.plan(world)));
  REQUIRE(saved);
  CHECK(saved->permissions.no_rollback.nodes == std::vector<std::string>{"old1"});
  for (const std::set<NodeName>& too_few : {std::set<NodeName>{}, std::set<NodeName>{kLinux}}) {
    const Result<void> refused = workflow::check_permissions(*saved, {true, too_few, true});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid);
    CHECK(
        refused.error().message ==
        "the plan may cut off old1, and nothing there would roll that back; nothing was changed "
        "(--allow-no-rollback old1 allows it)");
  }
  CHECK(workflow::check_permissions(*saved, {true, {kOld, kLinux}, false}));
  CHECK_FALSE(workflow::check_permissions(*saved, {false, {kOld, kLinux}, true}));

  // What the document grants, on these nodes, where that counts.
  saved->permissions.no_rollback.granted = {"old1"};
  CHECK_FALSE(workflow::check_permissions(*saved, {true, {}, false}));
  CHECK(workflow::check_permissions(*saved, {true, {}, true}));
  saved->permissions.management_path.granted = {"other"};
  CHECK_FALSE(workflow::check_permissions(*saved, {false, {}, true}));
  saved->permissions.management_path.granted = {"old1"};
  CHECK_FALSE(workflow::check_permissions(*saved, {false, {kOld}, false}));
  CHECK(workflow::check_permissions(*saved, {false, {}, true}));
  saved->digest = plans::plan_digest(*saved);
  const auto again = plans::parse_plan_file(plans::to_plan_file(*saved));
  REQUIRE(again);
  CHECK(again->permissions.no_rollback.granted == std::vector<std::string>{"old1"});
}

TEST_CASE("what a platform has no provider for is refused by its name", "[platform]") {
  Bench bench{"packages: [rdma-core]"};
  World world{bench.scene(), 1};
  CHECK(bench.plan(world).actions.empty());
  CHECK(bench.said("key-not-on-platform", Severity::error));
}

TEST_CASE("work that needs files is refused where there are none", "[platform]") {
  Bench bench{"modules: {by_file: {key: value}}"};
  World world{bench.scene(), 1};
  CHECK(bench.plan(world).actions.empty());
  CHECK(bench.said("capability-missing", Severity::error));
}

constexpr const char* kCabled =
    "  pve2: {adapters: {cx5: {model: connectx-5-vpi, ports: 1}}}\n"
    "networks:\n"
    "  lan:\n"
    "    mode: ethernet\n"
    "    ipv4: {subnet: 10.30.0.0/24}\n"
    "    cables: [[pve2/1, old1/1]]\n";

TEST_CASE(
    "a cabled switch of a kind without a provider for ports is refused by name", "[platform]") {
  Bench bench{"labels: {rack: r1}", kCabled};
  bool has_port = false;
  for (const Resource& each : bench.resources) {
    if (each.address.node != kOld) continue;
    INFO(each.address.str());
    has_port = has_port || each.binding.contains(keys::kSwitchPort);
    // Nothing of a host.
    CHECK(each.address.kind != kinds::kAdapter);
    CHECK(each.address.kind != kinds::kLinkName);
  }
  CHECK(has_port);
  World world{bench.scene(), 1};
  CHECK(bench.plan(world).actions.empty());
  CHECK(std::any_of(
      bench.diagnostics.items().begin(),
      bench.diagnostics.items().end(),
      [](const Diagnostic& item) {
        return item.rule == "key-not-on-platform" &&
               item.message.ends_with("mode ethernet at this switch");
      }));
}

TEST_CASE("verify asks a switch nothing that its platform does not know", "[platform]") {
  Bench bench{"labels: {rack: r1}", kCabled};
  World world{bench.scene(), 1};
  lab::Lab lab{bench.spec, test::simulated(bench.reality)};
  lab::Runner runner{lab};
  const std::vector<NodeName> nodes{kOld, kLinux, *NodeName::parse("pve2")};
  const std::vector<plans::InputFile> inputs;
  workflow::Listener nobody;
  Random random{1};
  const verify::Report report = workflow::verify_fabric(
      nobody,
      {bench.spec,
       bench.sources,
       bench.registry,
       nodes,
       bench.resources,
       inputs,
       bench.diagnostics},
      {world.discover()},
      {workflow::VerifyLevel::path},
      &runner,
      random);
  REQUIRE(report.cables.size() == 1);
  CHECK(bench.refused->empty());
  for (const Diagnostic& finding : report.findings) {
    INFO(finding.rule << ": " << finding.message);
    CHECK(finding.rule != "path-tests-missing");  // no path begins at a switch
  }
}

TEST_CASE("what a platform can do is a table", "[platform]") {
  for (const platform::CapabilityRow& row : platform::capabilities(kPlatform)) {
    INFO(row.name);
    CHECK_FALSE(row.present);
    CHECK_FALSE(row.without.empty());
  }
  Registry registry;
  providers::add_builtin_providers(registry);
  for (const platform::CapabilityRow& row :
       platform::capabilities(registry.host(Platform::linux))) {
    INFO(row.name);
    CHECK(row.present);
  }
}

}  // namespace
}  // namespace fabric::rehearse
