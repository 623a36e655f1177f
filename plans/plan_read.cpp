// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/change.hpp"
#include "engine/remote/work_steps.hpp"
#include "engine/value/digest.hpp"
#include "engine/value/json.hpp"
#include "plans/plan_check.hpp"
#include "plans/plan_file.hpp"
#include "plans/reading/shape.hpp"

namespace fabric::plans {
namespace {

// The scripts of a plan file by name, as its steps name them.
using Scripts = std::map<std::string, const remote::Script*, std::less<>>;

// "0644" to its number.
std::uint32_t read_mode(Shape& file) {
  const auto mode = parse_unsigned(file.text("mode"), 8);
  if (!mode || *mode > 07777) file.complain("mode", "expected an octal mode");
  return static_cast<std::uint32_t>(mode.value_or(0));
}

// A digest as hex digits.
std::string read_digest(Shape& shape, std::string_view key) {
  constexpr std::string_view kPrefix = "sha256:";
  const std::string digest = shape.text(key);
  if (digest.starts_with(kPrefix)) return digest.substr(kPrefix.size());
  shape.complain(key, "expected a digest");
  return {};
}

remote::step::WriteFile read_write(Shape& step) {
  Shape write{step.any("write"), step.path_of("write"), step.complaint()};
  remote::step::WriteFile file;
  file.path = write.text("path");
  if (!file.path.starts_with('/')) write.complain("path", "expected an absolute path");
  file.mode = read_mode(write);
  file.owner = write.text("owner");
  file.content = write.text("content");
  const std::string digest = write.text("sha256");
  if (digest != sha256(std::string_view{file.content}))
    write.complain("content", "does not have the digest " + digest);
  return file;
}

remote::step::CopyFile read_copy(Shape& step) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40U;
  Shape copy{step.any("copy"), step.path_of("copy"), step.complaint()};
  remote::step::CopyFile file;
  file.source = copy.text("source");
  if (file.source.empty()) copy.complain("source", "expected a path");
  file.sha256 = read_digest(copy, "sha256");
  file.bytes = static_cast<std::uint64_t>(copy.number("bytes", kMost));
  file.path = copy.text("path");
  if (!file.path.starts_with('/')) copy.complain("path", "expected an absolute path");
  file.mode = read_mode(copy);
  file.owner = copy.text("owner");
  return file;
}

std::string read_removal(Shape& step) {
  std::string path = step.text("remove");
  if (!path.starts_with('/')) step.complain("remove", "expected an absolute path");
  return path;
}

// An argument vector, or lines.
std::vector<std::string> read_words(Shape& step, std::string_view key) {
  std::vector<std::string> words = step.texts(key);
  if (words.empty())
    step.complain(key, key == "converse" ? "expected lines" : "expected an argument vector");
  return words;
}

remote::Argv read_argv(Shape& step, std::string_view key) {
  const std::vector<std::string> words = read_words(step, key);
  return {words.begin(), words.end()};
}

remote::Argv read_script(Shape& step, const Scripts& scripts) {
  Shape script{step.any("script"), step.path_of("script"), step.complaint()};
  const std::string name = script.text("name");
  remote::Argv argv{"sh", "-c"};
  if (const auto found = scripts.find(name); found != scripts.end()) {
    argv.emplace_back(*found->second);
  } else {
    script.complain("name", fmt::format("'{}' is not one of the plan's scripts", name));
  }
  argv.emplace_back(script.text("called"));
  for (const std::string& argument : script.texts("args"))
    argv.emplace_back(argument);
  return argv;
}

Scripts read_scripts(Shape& plan) {
  Scripts scripts;
  if (plan.optional("scripts") == nullptr) return scripts;
  const Map& texts = plan.map("scripts");
  Shape shape{plan.any("scripts"), plan.path_of("scripts"), plan.complaint()};
  for (const auto& [name, text] : texts) {
    const bool is_plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!is_plain) shape.complain(name, "is not the name of a script");
    scripts.emplace(name, &remote::kept_script(name, shape.text(name)));
  }
  return scripts;
}

// `key`: "steps" of an action, or "undo".
WorkSteps read_steps(Shape& shape, std::string_view key, const Scripts& scripts) {
  WorkSteps steps;
  each(shape, key, [&](const Value& item, const std::string& path) {
    Shape step{item, path, shape.complaint()};
    if (step.optional("write") != nullptr) {
      steps.write(read_write(step));
    } else if (step.optional("copy") != nullptr) {
      steps.copy(read_copy(step));
    } else if (step.optional("remove") != nullptr) {
      steps.remove(read_removal(step));
    } else if (step.optional("script") != nullptr) {
      steps.run(read_script(step, scripts));
    } else if (step.optional("run") != nullptr) {
      steps.run(read_argv(step, "run"));
    } else if (step.optional("converse") != nullptr) {
      steps.converse(read_words(step, "converse"));
    } else if (step.optional("here") != nullptr) {
      steps.here(read_argv(step, "here"));
    } else {
      shape.complaint().add(
          path, "expected one of `run`, `write`, `copy`, `remove`, `converse`, `here`");
    }
  });
  return steps;
}

std::vector<FileCondition> read_file_conditions(Shape& shape) {
  std::vector<FileCondition> conditions;
  if (shape.optional("file_preconditions") == nullptr) return conditions;
  each(shape, "file_preconditions", [&](const Value& item, const std::string& path) {
    Shape condition{item, path, shape.complaint()};
    FileCondition& file = conditions.emplace_back();
    file.path = condition.text("path");
    if (!file.path.starts_with('/')) condition.complain("path", "expected an absolute path");
    if (!condition.text("digest").empty()) file.digest = read_digest(condition, "digest");
  });
  return conditions;
}

// The name of a node where none could be read, until the complaint is returned.
NodeName placeholder() {
  return NodeName::parse("x").value();
}

ResourceAddress address_of(std::string_view text, const std::string& path, Complaint& complaint) {
  auto address = ResourceAddress::parse(text);
  if (address) return std::move(address).value();
  complaint.add(path, address.error().message);
  return {placeholder(), {}, {}};
}

NodeName node_of(std::string_view text, const std::string& path, Complaint& complaint) {
  auto node = NodeName::parse(text);
  if (node) return std::move(node).value();
  complaint.add(path, node.error().message);
  return placeholder();
}

template <class Enum, std::size_t count>
Enum choice(Shape& shape, std::string_view key, const std::array<Enum, count>& all) {
  const std::string text = shape.text(key);
  for (const Enum candidate : all) {
    if (to_string(candidate) == text) return candidate;
  }
  shape.complain(key, fmt::format("'{}' is not one of the choices", text));
  return all.front();
}

constexpr std::array kDisruptions{
    Disruption::none,
    Disruption::runtime,
    Disruption::traffic,
    Disruption::link,
    Disruption::driver,
    Disruption::reboot,
    Disruption::power_cycle};
constexpr std::array kChangeKinds{
    ChangeKind::add, ChangeKind::update, ChangeKind::remove, ChangeKind::unknown};
constexpr std::array kStages{Stage::prepare, Stage::activate};
constexpr std::array kLayers{Layer::running, Layer::next_boot, Layer::persistent};
constexpr std::array kWhyWithheld{
    Withheld::Why::observed,
    Withheld::Why::unknown,
    Withheld::Why::waits,
    Withheld::Why::next_round,
    Withheld::Why::rollout,
    Withheld::Why::staged,
    Withheld::Why::many_boots,
    Withheld::Why::own_machine,
    Withheld::Why::left,
    Withheld::Why::errors};
constexpr std::array kSeverities{Severity::error, Severity::warning, Severity::info};

struct ByAddress {
  bool operator()(const PlannedChange& change, const ResourceAddress& address) const {
    return change.address < address;
  }
  bool operator()(const ResourceAddress& address, const PlannedChange& change) const {
    return address < change.address;
  }
};

Need read_need(Shape& shape) {
  const Value* value = shape.optional("needs");
  if (value == nullptr) return {};
  Shape needs{*value, shape.path_of("needs"), shape.complaint()};
  return {
      needs.optional("package") == nullptr ? std::string{} : needs.text("package"),
      needs.optional("boot") != nullptr};
}

std::optional<Reading> read_reading(Shape& shape, std::string_view key) {
  const Value* value = shape.optional(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_null()) return Reading::absent();
  if (value->as_map() == nullptr) return Reading::of(*value);
  Shape wrapped{*value, shape.path_of(key), shape.complaint()};
  if (const Value* known = wrapped.optional("known")) return Reading::of(*known);
  Need needs = read_need(wrapped);
  return Reading::unknown(wrapped.text("unknown"), std::move(needs));
}

SourceLine read_source(Shape& shape) {
  Shape source{shape.any("source"), shape.path_of("source"), shape.complaint()};
  return {source.text("file"), source.small_number("line"), source.small_number("column")};
}

PlannedChange read_change(const Value& value, const std::string& path, Complaint& complaint) {
  Shape shape{value, path, complaint};
  PlannedChange change{
      .address = address_of(shape.text("address"), shape.path_of("address"), complaint)};
  if (shape.text("node") != change.address.node.str()) {
    shape.complain("node", fmt::format("is not the node of '{}'", change.address.str()));
  }
  change.kind = choice(shape, "kind", kChangeKinds);
  AttributeChange& attribute = change.attribute;
  attribute.attribute = shape.text("attribute");
  attribute.observed.running = read_reading(shape, "current");
  attribute.observed.next_boot = read_reading(shape, "pending");
  attribute.observed.persistent = read_reading(shape, "persistent");
  attribute.desired = shape.any("desired");
  attribute.disruption = choice(shape, "disruption", kDisruptions);
  attribute.write = shape.flag("write");
  attribute.activate = shape.flag("activate");
  attribute.reason = shape.text("reason");
  change.source = read_source(shape);
  return change;
}

std::vector<NodeName> read_names(Shape& shape, std::string_view key) {
  std::vector<NodeName> names;
  each(shape, key, [&](const Value& item, const std::string& path) {
    names.push_back(node_of(text_item(item, path, shape.complaint()), path, shape.complaint()));
  });
  return names;
}

std::vector<Condition> read_conditions(Shape& shape, std::string_view key) {
  std::vector<Condition> conditions;
  each(shape, key, [&](const Value& item, const std::string& path) {
    Shape condition{item, path, shape.complaint()};
    const std::string address = condition.text("address");
    conditions.push_back(
        {address_of(address, condition.path_of("address"), shape.complaint()),
         condition.text("attribute"),
         choice(condition, "layer", kLayers),
         condition.any("equals")});
  });
  return conditions;
}

Duration read_duration(Shape& shape, std::string_view key) {
  constexpr std::int64_t kYear = std::int64_t{366} * 24 * 3600 * 1000;
  return Duration{shape.number(key, kYear)};
}

Action read_action(
    const Value& value, const std::string& path, const Scripts& scripts, Complaint& complaint) {
  Shape shape{value, path, complaint};
  Action action{
      .id = shape.text("id"),
      .node = node_of(shape.text("node"), shape.path_of("node"), complaint)};
  ActionDraft& draft = action.draft;
  draft.kind = shape.text("kind");
  draft.title = shape.text("title");
  draft.stage = choice(shape, "stage", kStages);
  draft.disruption = choice(shape, "disruption", kDisruptions);
  action.wave = shape.small_number("wave");
  action.needs = shape.texts("needs");
  action.after = shape.texts("after");
  action.mutex = shape.texts("mutex");
  each(shape, "covers", [&](const Value& item, const std::string& item_path) {
    action.covers.push_back(
        address_of(text_item(item, item_path, complaint), item_path, complaint));
  });
  draft.steps = read_steps(shape, "steps", scripts);
  draft.timeout = read_duration(shape, "timeout_ms");
  if (shape.optional("closes") != nullptr) action.closes = shape.text("closes");
  if (shape.optional("settles_ms") != nullptr) draft.settles = read_duration(shape, "settles_ms");
  draft.once = shape.optional_flag("once");
  if (shape.optional("by_hand") != nullptr) draft.by_hand = shape.text("by_hand");
  draft.preconditions = read_conditions(shape, "preconditions");
  draft.postconditions = read_conditions(shape, "postconditions");
  draft.file_preconditions = read_file_conditions(shape);
  draft.undo = read_steps(shape, "undo", scripts);
  if (shape.optional("way_back") != nullptr) draft.way_back = shape.text("way_back");
  draft.irreversible = shape.text("irreversible");
  action.guard = read_duration(shape, "guard_ms");
  action.sequence = shape.text("sequence");
  Shape reboot{shape.any("reboot"), shape.path_of("reboot"), complaint};
  action.reboot = {
      read_duration(reboot, "down_ms"),
      read_duration(reboot, "up_ms"),
      read_duration(reboot, "stable_ms")};
  return action;
}

void read_nodes(Shape& shape, Plan& plan) {
  for (const auto& [name, value] : shape.map("nodes")) {
    const std::string path = shape.path_of("nodes") + "." + name;
    Shape node{value, path, shape.complaint()};
    PlanNode& read = plan.nodes
                         .emplace(
                             node_of(name, path, shape.complaint()),
                             PlanNode{
                                 node.flag("reachable"),
                                 node.text("failure"),
                                 node.text("machine_id"),
                                 node.text("host_key"),
                                 node.text("boot_id"),
                                 node.text("facts_digest")})
                         .first->second;
    read.offline = node.optional_flag("offline");
    read.outside = node.optional_flag("outside");
    read.own = node.optional_flag("own");
    if (const Value* why = node.optional("withheld")) {
      Shape withheld{*why, node.path_of("withheld"), shape.complaint()};
      read.withheld = {
          withheld.text("text"),
          withheld.text("release"),
          choice(withheld, "why", kWhyWithheld) == Withheld::Why::own_machine};
    }
    if (node.optional("platform") == nullptr) continue;
    const std::string written = node.text("platform");
    if (const std::optional<Platform> platform = platform_of(written)) {
      read.platform = *platform;
    } else {
      shape.complaint().add(
          node.path_of("platform"), "expected the name of a platform, found " + written);
    }
  }
}

void read_orphans(Shape& shape, Plan& plan) {
  Complaint& complaint = shape.complaint();
  if (shape.optional("orphans") == nullptr) return;
  each(shape, "orphans", [&](const Value& item, const std::string& path) {
    Shape orphan{item, path, complaint};
    Resource& read = plan.orphans.emplace_back(Resource{
        address_of(orphan.text("address"), orphan.path_of("address"), complaint),
        orphan.map("binding"),
        {},
        {},
        {}});
    for (const std::string& attribute : orphan.texts("attributes"))
      read.desired.emplace(attribute, DesiredAttribute{});
    for (const std::string& below : orphan.texts("beneath")) {
      read.beneath.push_back(address_of(below, orphan.path_of("beneath"), complaint));
    }
  });
}

void name_platforms(Plan& plan) {
  for (Resource& orphan : plan.orphans) {
    const auto node = plan.nodes.find(orphan.address.node);
    if (node != plan.nodes.end()) orphan.platform = node->second.platform;
  }
}

// REQUIRES: the changes are read.
void read_withheld(Shape& shape, Plan& plan) {
  Complaint& complaint = shape.complaint();
  if (shape.optional("withheld") == nullptr) return;
  each(shape, "withheld", [&](const Value& item, const std::string& path) {
    Shape withheld{item, path, complaint};
    const ResourceAddress address =
        address_of(withheld.text("address"), withheld.path_of("address"), complaint);
    Withheld read{.why = choice(withheld, "why", kWhyWithheld)};
    const std::string text = withheld.text("text");
    if (withheld.optional("on") != nullptr)
      read.on = address_of(withheld.text("on"), withheld.path_of("on"), complaint);
    read.needs = read_need(withheld);
    if (read.why == Withheld::Why::next_round) read.detail = plan.next_round;
    if (read.why == Withheld::Why::unknown || read.why == Withheld::Why::rollout ||
        read.why == Withheld::Why::left)
      read.detail = text;
    if ((read.why == Withheld::Why::waits) != read.on.has_value())
      return withheld.complain("on", "stands with `waits`, and only there");
    const auto of =
        std::equal_range(plan.changes.begin(), plan.changes.end(), address, ByAddress{});
    if (of.first == of.second) withheld.complain("address", "is the address of no change");
    for (auto change = of.first; change != of.second; ++change)
      change->withheld = read;
  });
}

void read_bindings(Shape& shape, Plan& plan) {
  Complaint& complaint = shape.complaint();
  if (shape.optional("bindings") == nullptr) return;
  each(shape, "bindings", [&](const Value& item, const std::string& path) {
    Shape found{item, path, complaint};
    plan.bindings.insert_or_assign(
        address_of(found.text("address"), found.path_of("address"), complaint),
        found.map("binding"));
  });
}

void read_paths_lost(Shape& impact, Impact& read) {
  read.asks_for_paths = impact.optional_flag("asks_for_paths");
  if (impact.optional("paths_lost") == nullptr) return;
  each(impact, "paths_lost", [&](const Value& item, const std::string& path) {
    Shape lost{item, path, impact.complaint()};
    PathsLostInWave& wave = read.paths_lost.emplace_back(
        PathsLostInWave{lost.small_number("wave"), lost.text("network"), read_names(lost, "away")});
    wave.working = lost.small_number("working");
    wave.lost = lost.small_number("lost");
    wave.unknown = lost.small_number("unknown");
    wave.host_pairs = lost.small_number("host_pairs");
    wave.example = lost.text("example");
    each(lost, "apart", [&](const Value& pair, const std::string& place) {
      const List* ends = pair.as_list();
      if (ends == nullptr || ends->size() != 2)
        return impact.complaint().add(place, "expected two nodes");
      const Result<NodeName> one =
          NodeName::parse(text_item(ends->front(), place + "[0]", impact.complaint()));
      const Result<NodeName> other =
          NodeName::parse(text_item(ends->back(), place + "[1]", impact.complaint()));
      if (!one || !other) return impact.complaint().add(place, "expected two nodes");
      wave.apart.emplace_back(*one, *other);
    });
  });
}

void read_single(Shape& impact, Single& read) {
  if (impact.optional("single") == nullptr) return;
  Shape single{impact.any("single"), impact.path_of("single"), impact.complaint()};
  for (const auto& [key, hosts] :
       {std::pair{"now", &read.now}, std::pair{"afterwards", &read.afterwards}}) {
    each(single, key, [&, list = hosts](const Value& item, const std::string& path) {
      Shape found{item, path, impact.complaint()};
      list->push_back(
          {found.text("network"),
           found.small_number("hosts"),
           found.small_number("of"),
           found.text("example")});
    });
  }
  each(single, "waves", [&](const Value& item, const std::string& path) {
    Shape found{item, path, impact.complaint()};
    read.waves.push_back(
        {found.small_number("wave"),
         found.text("network"),
         read_names(found, "away"),
         read_names(found, "hosts"),
         found.text("example")});
  });
}

void read_traffic(Shape& impact, Impact& read) {
  for (const auto& [key, members] :
       {std::pair{"members_cut", &read.members_cut},
        std::pair{"members_joined", &read.members_joined}}) {
    if (impact.optional(key) == nullptr) continue;
    std::vector<MembersMoved>& into = *members;
    each(impact, key, [&](const Value& item, const std::string& path) {
      Shape moved{item, path, impact.complaint()};
      MembersMoved& found = into.emplace_back(MembersMoved{moved.text("partition"), {}});
      found.nodes = read_names(moved, "nodes");
    });
  }
  for (const auto& [key, names] :
       {std::pair{"tables_rewritten", &read.tables_rewritten},
        std::pair{"without_manager", &read.without_manager},
        std::pair{"addresses_at_boot", &read.addresses_at_boot}})
    if (impact.optional(key) != nullptr) *names = impact.texts(key);
}

void read_overview(Shape& shape, Plan& plan) {
  Complaint& complaint = shape.complaint();
  each(shape, "inputs", [&](const Value& item, const std::string& path) {
    Shape file{item, path, complaint};
    plan.inputs.push_back({file.text("path"), file.text("sha256")});
  });
  each(shape, "waves", [&](const Value& item, const std::string& path) {
    Shape wave{item, path, complaint};
    Wave& read = plan.waves.emplace_back(Wave{wave.small_number("number"), {}, wave.text("why")});
    read.nodes = read_names(wave, "nodes");
  });
  each(shape, "diagnostics", [&](const Value& item, const std::string& path) {
    Shape diagnostic{item, path, complaint};
    plan.diagnostics.push_back(
        {choice(diagnostic, "severity", kSeverities),
         diagnostic.text("rule"),
         diagnostic.text("message"),
         diagnostic.text("help"),
         read_source(diagnostic),
         diagnostic.optional("subject") == nullptr ? Subject{}
                                                   : Subject::parse(diagnostic.text("subject"))});
  });
  if (shape.optional("permissions") != nullptr) {
    each(shape, "permissions", [&](const Value& item, const std::string& path) {
      Shape permission{item, path, complaint};
      const std::string name = permission.text("name");
      if (name != "allow_mgmt_path" && name != "allow_no_rollback")
        permission.complain("name", "is not one of the choices");
      Permission& read = name == "allow_mgmt_path" ? plan.permissions.management_path
                                                   : plan.permissions.no_rollback;
      read.nodes = permission.texts("nodes");
      if (permission.optional("granted") != nullptr) read.granted = permission.texts("granted");
    });
  }
  Shape impact{shape.any("impact"), "impact", complaint};
  plan.impact = {
      impact.small_number("reboots"),
      impact.small_number("link_flaps"),
      impact.small_number("sm_moves"),
      impact.texts("irreversible")};
  if (impact.optional("behind_switches") != nullptr)
    plan.impact.behind_switches = impact.texts("behind_switches");
  read_paths_lost(impact, plan.impact);
  read_single(impact, plan.impact.single);
  read_traffic(impact, plan.impact);
  if (impact.small_number("waves") != plan.waves.size()) {
    impact.complain("waves", "is not the number of waves");
  }
  Shape summary{shape.any("summary"), "summary", complaint};
  plan.summary = {
      summary.small_number("add"),
      summary.small_number("change"),
      summary.small_number("remove"),
      summary.small_number("unknown"),
      summary.small_number("withheld")};
}

Plan read_plan(const Value& root, Complaint& complaint) {
  Plan plan;
  Shape shape{root, "", complaint};
  shape.text("format_version");
  plan.fabric = shape.text("fabric");
  read_overview(shape, plan);
  read_nodes(shape, plan);
  read_orphans(shape, plan);
  name_platforms(plan);
  read_bindings(shape, plan);
  plan.stage = shape.optional_flag("stage");
  if (shape.optional("next_round") != nullptr) plan.next_round = shape.text("next_round");
  if (shape.optional("undoes") != nullptr) plan.undoes = shape.text("undoes");
  plan.backwards = shape.optional_flag("backwards");
  if (shape.optional("limit") != nullptr) plan.limit = read_names(shape, "limit");
  each(shape, "changes", [&](const Value& item, const std::string& path) {
    plan.changes.push_back(read_change(item, path, complaint));
  });
  read_withheld(shape, plan);
  const Scripts scripts = read_scripts(shape);
  each(shape, "actions", [&](const Value& item, const std::string& path) {
    plan.actions.push_back(read_action(item, path, scripts, complaint));
  });
  plan.digest = shape.text("digest");
  return plan;
}

}  // namespace

Result<Plan> parse_plan_file(std::string_view text) {
  Value root = FABRIC_TRY(parse_checked_json(text));
  FABRIC_TRY(check_version(root));
  Complaint complaint;
  Plan plan = read_plan(root, complaint);
  if (complaint.error()) return not_understood(root, *complaint.error());

  root.as_map()->erase("digest");
  if (const std::string found = sha256(root); found != plan.digest) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "digest: the plan says {}, its content has {}: it was changed after it was made",
            plan.digest,
            found)};
  }
  if (std::string contradiction = find_contradiction(plan); !contradiction.empty()) {
    return Error{ErrorCode::invalid, "actions: " + contradiction};
  }
  return plan;
}

}  // namespace fabric::plans
