// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/limits.hpp"
#include "engine/base/overloaded.hpp"
#include "engine/value/digest.hpp"
#include "engine/value/json.hpp"
#include "engine/value/json_writer.hpp"
#include "engine/value/lists.hpp"
#include "engine/value/long_list.hpp"
#include "plans/plan_file.hpp"

namespace fabric::plans {

namespace {

// Changes and actions are nearly all of a plan file: they are written without a tree of values. The
// keys must be in order (JsonWriter::key).
template <class Items, class Function>
void write_list(JsonWriter& out, std::string_view key, const Items& items, Function write_item) {
  out.key(key);
  out.begin_list();
  for (const auto& item : items)
    write_item(out, item);
  out.end_list();
}

template <class Texts>
void write_texts(JsonWriter& out, std::string_view key, const Texts& items) {
  write_list(out, key, items, [](JsonWriter& to, std::string_view item) { to.text(item); });
}

List node_names(const std::vector<NodeName>& nodes) {
  return to_list(nodes, [](const NodeName& node) { return Value{node.str()}; });
}

// Writes the same text as str(): a plan has hundreds of addresses for each node.
void write_address(JsonWriter& out, const ResourceAddress& address) {
  out.text({address.node.str(), "/", address.kind, "/", address.name});
}

Map need_value(const Need& needs) {
  Map map;
  if (!needs.package.empty()) map.emplace("package", needs.package);
  if (needs.boot) map.emplace("boot", true);
  return map;
}

// A known value is written as it is, and absent as null. A value that could be read as another
// state is wrapped.
void write_reading(JsonWriter& out, std::string_view key, const std::optional<Reading>& reading) {
  if (!reading) return;
  out.key(key);
  const Value* value = reading->value();
  if (reading->is_unknown()) {
    out.begin_object();
    if (const Need needs = reading->needs(); !needs.empty()) out.member("needs", need_value(needs));
    out.member("unknown", reading->why());
    out.end_object();
  } else if (value == nullptr) {
    out.value({});
  } else if (value->is_null() || value->as_map() != nullptr) {
    out.begin_object();
    out.member("known", *value);
    out.end_object();
  } else {
    out.value(*value);
  }
}

Map source_value(const SourceLine& source) {
  return {{"file", source.file}, {"line", source.line}, {"column", source.column}};
}

void write_change(JsonWriter& out, const PlannedChange& change) {
  const AttributeChange& attribute = change.attribute;
  out.begin_object();
  out.member("activate", attribute.activate);
  out.key("address");
  write_address(out, change.address);
  out.member("attribute", attribute.attribute);
  write_reading(out, "current", attribute.observed.running);
  out.member("desired", attribute.desired);
  out.member("disruption", to_string(attribute.disruption));
  out.member("kind", to_string(change.kind));
  out.member("node", change.address.node.str());
  write_reading(out, "pending", attribute.observed.next_boot);
  write_reading(out, "persistent", attribute.observed.persistent);
  out.member("reason", attribute.reason);
  out.key("source");
  out.begin_object();
  out.member("column", change.source.column);
  out.member("file", change.source.file);
  out.member("line", change.source.line);
  out.end_object();
  out.member("write", attribute.write);
  out.end_object();
}

// Writes a script by its name, because its text stands once in the file.
void write_run(JsonWriter& to, const remote::Argv& argv) {
  if (!remote::is_script_run(argv)) return write_texts(to, "run", argv);
  const remote::Argv arguments{argv.begin() + 4, argv.end()};
  to.key("script");
  to.begin_object();
  write_texts(to, "args", arguments);
  to.member("called", argv[3].text());
  to.member("name", argv[2].script()->name);
  to.end_object();
}

Map scripts_value(const Plan& plan) {
  Map scripts;
  for (const auto& [name, text] : scripts_of(plan))
    scripts.emplace(std::string{name}, std::string{text});
  return scripts;
}

void write_step(JsonWriter& to, const remote::Step& step) {
  to.begin_object();
  std::visit(
      Overloaded{
          [&to](const remote::step::WriteFile& write) {
            to.key("write");
            to.begin_object();
            to.member("content", write.content);
            to.member("mode", fmt::format("{:04o}", write.mode));
            to.member("owner", write.owner);
            to.member("path", write.path);
            to.member("sha256", sha256(std::string_view{write.content}));
            to.end_object();
          },
          [&to](const remote::step::CopyFile& copy) {
            to.key("copy");
            to.begin_object();
            to.member("bytes", static_cast<std::int64_t>(copy.bytes));
            to.member("mode", fmt::format("{:04o}", copy.mode));
            to.member("owner", copy.owner);
            to.member("path", copy.path);
            to.member("sha256", "sha256:" + copy.sha256);
            to.member("source", copy.source);
            to.end_object();
          },
          [&to](const remote::step::RemoveFile& removal) { to.member("remove", removal.path); },
          [&to](const remote::step::Run& run) { write_run(to, run.command.argv); },
          [&to](const remote::step::Converse& talk) { write_texts(to, "converse", talk.lines); },
          [&to](const remote::step::RunHere& run) { write_texts(to, "here", run.command.argv); },
          [](const remote::step::Pause&) {
            FABRIC_CHECK(false, "a pause in a plan");
          }},
      step);
  to.end_object();
}

void write_conditions(
    JsonWriter& out, std::string_view key, const std::vector<Condition>& conditions) {
  write_list(out, key, conditions, [](JsonWriter& to, const Condition& condition) {
    to.begin_object();
    to.key("address");
    write_address(to, condition.address);
    to.member("attribute", condition.attribute);
    to.member("equals", condition.equals);
    to.member("layer", to_string(condition.layer));
    to.end_object();
  });
}

void write_file_conditions(JsonWriter& out, const std::vector<FileCondition>& conditions) {
  if (conditions.empty()) return;
  write_list(
      out, "file_preconditions", conditions, [](JsonWriter& to, const FileCondition& condition) {
        const std::string& digest = condition.digest;
        to.begin_object();
        to.member("digest", digest.empty() ? digest : "sha256:" + digest);
        to.member("path", condition.path);
        to.end_object();
      });
}

void write_reboot(JsonWriter& out, const RebootDeadlines& reboot) {
  out.key("reboot");
  out.begin_object();
  out.member("down_ms", std::int64_t{reboot.down.count()});
  out.member("stable_ms", std::int64_t{reboot.stable.count()});
  out.member("up_ms", std::int64_t{reboot.up.count()});
  out.end_object();
}

void write_action(JsonWriter& out, const Action& action) {
  const ActionDraft& draft = action.draft;
  out.begin_object();
  write_texts(out, "after", action.after);
  if (!draft.by_hand.empty()) out.member("by_hand", draft.by_hand);
  if (!action.closes.empty()) out.member("closes", action.closes);
  write_list(out, "covers", action.covers, write_address);
  out.member("disruption", to_string(draft.disruption));
  write_file_conditions(out, draft.file_preconditions);
  out.member("guard_ms", std::int64_t{action.guard.count()});
  out.member("id", action.id);
  out.member("irreversible", draft.irreversible);
  out.member("kind", draft.kind);
  write_texts(out, "mutex", action.mutex);
  write_texts(out, "needs", action.needs);
  out.member("node", action.node.str());
  if (draft.once) out.member("once", true);
  write_conditions(out, "postconditions", draft.postconditions);
  write_conditions(out, "preconditions", draft.preconditions);
  write_reboot(out, action.reboot);
  out.member("sequence", action.sequence);
  if (draft.settles != ActionDraft{}.settles)
    out.member("settles_ms", std::int64_t{draft.settles.count()});
  out.member("stage", to_string(draft.stage));
  write_list(out, "steps", draft.steps, write_step);
  out.member("timeout_ms", std::int64_t{draft.timeout.count()});
  out.member("title", draft.title);
  write_list(out, "undo", draft.undo, write_step);
  out.member("wave", action.wave);
  if (!draft.way_back.empty()) out.member("way_back", draft.way_back);
  out.end_object();
}

Map node_value(const PlanNode& node) {
  Map value{
      {"reachable", node.reachable},
      {"failure", node.failure},
      {"machine_id", node.machine_id},
      {"host_key", node.host_key},
      {"boot_id", node.boot_id},
      {"facts_digest", node.facts_digest}};
  // Left out for the platform of the first plans, as in saved facts.
  if (node.platform != kUsualPlatform) value.emplace("platform", to_string(node.platform));
  if (node.offline) value.emplace("offline", true);
  if (node.outside) value.emplace("outside", true);
  if (node.own) value.emplace("own", true);
  if (!node.withheld.why.empty()) {
    value.emplace(
        "withheld",
        Map{{"why",
             to_string(
                 node.withheld.own_machine ? Withheld::Why::own_machine : Withheld::Why::rollout)},
            {"text", node.withheld.why},
            {"release", node.withheld.release}});
  }
  return value;
}

Map diagnostic_value(const PlanDiagnostic& diagnostic) {
  Map value{
      {"severity", to_string(diagnostic.severity)},
      {"rule", diagnostic.rule},
      {"message", diagnostic.message},
      {"help", diagnostic.help},
      {"source", source_value(diagnostic.source)}};
  if (!diagnostic.subject.name.empty()) value.emplace("subject", diagnostic.subject.str());
  return value;
}

Map orphan_value(const Resource& orphan) {
  List attributes;
  for (const auto& [name, nothing] : orphan.desired)
    attributes.emplace_back(name);
  List beneath;
  for (const ResourceAddress& address : orphan.beneath)
    beneath.emplace_back(address.str());
  return {
      {"address", orphan.address.str()},
      {"attributes", std::move(attributes)},
      {"beneath", std::move(beneath)},
      {"binding", *orphan.binding}};
}

Map paths_lost_value(const PathsLostInWave& lost) {
  const auto pair = [](const std::pair<NodeName, NodeName>& nodes) {
    return List{Value{nodes.first.str()}, Value{nodes.second.str()}};
  };
  return {
      {"wave", lost.wave},
      {"network", lost.network},
      {"away", node_names(lost.away)},
      {"working", lost.working},
      {"lost", lost.lost},
      {"unknown", lost.unknown},
      {"apart", to_list(lost.apart, pair)},
      {"host_pairs", lost.host_pairs},
      {"example", lost.example}};
}

Map single_value(const Single& single) {
  const auto hosts = [](const SingleHosts& each) {
    return Map{
        {"network", each.network},
        {"hosts", each.hosts},
        {"of", each.of},
        {"example", each.example}};
  };
  const auto wave = [](const SingleInWave& each) {
    return Map{
        {"wave", each.wave},
        {"network", each.network},
        {"away", node_names(each.away)},
        {"hosts", node_names(each.hosts)},
        {"example", each.example}};
  };
  return {
      {"now", to_list(single.now, hosts)},
      {"waves", to_list(single.waves, wave)},
      {"afterwards", to_list(single.afterwards, hosts)}};
}

Map impact_value(const Plan& plan) {
  Map map{
      {"reboots", plan.impact.reboots},
      {"waves", static_cast<std::uint32_t>(plan.waves.size())},
      {"link_flaps", plan.impact.link_flaps},
      {"sm_moves", plan.impact.sm_moves},
      {"irreversible", to_list(plan.impact.irreversible)}};
  if (!plan.impact.behind_switches.empty())
    map.emplace("behind_switches", to_list(plan.impact.behind_switches));
  if (!plan.impact.paths_lost.empty())
    map.emplace("paths_lost", to_list(plan.impact.paths_lost, paths_lost_value));
  if (!plan.impact.single.now.empty()) map.emplace("single", single_value(plan.impact.single));
  const auto moved = [](const MembersMoved& each) {
    return Map{{"partition", each.partition}, {"nodes", node_names(each.nodes)}};
  };
  for (const auto& [key, members] :
       {std::pair{"members_cut", &plan.impact.members_cut},
        std::pair{"members_joined", &plan.impact.members_joined}})
    if (!members->empty()) map.emplace(key, to_list(*members, moved));
  for (const auto& [key, names] :
       {std::pair{"tables_rewritten", &plan.impact.tables_rewritten},
        std::pair{"without_manager", &plan.impact.without_manager},
        std::pair{"addresses_at_boot", &plan.impact.addresses_at_boot}})
    if (!names->empty()) map.emplace(key, to_list(*names));
  if (plan.impact.asks_for_paths) map.emplace("asks_for_paths", true);
  return map;
}

List permission_list(const Permissions& permissions) {
  List list;
  const auto add = [&list](std::string_view name, const Permission& permission) {
    if (permission.nodes.empty()) return;
    Map value{{"name", name}, {"nodes", to_list(permission.nodes)}};
    if (!permission.granted.empty()) value.emplace("granted", to_list(permission.granted));
    list.emplace_back(std::move(value));
  };
  add("allow_mgmt_path", permissions.management_path);
  add("allow_no_rollback", permissions.no_rollback);
  return list;
}

// Writes each resource once.
List withheld_list(const Plan& plan) {
  List list;
  const ResourceAddress* last = nullptr;
  for (const PlannedChange& change : plan.changes) {
    if (!change.withheld || (last != nullptr && *last == change.address)) continue;
    last = &change.address;
    const Withheld& withheld = *change.withheld;
    Map value{
        {"address", change.address.str()},
        {"why", to_string(withheld.why)},
        {"text", withheld_text(withheld)}};
    if (withheld.on) value.emplace("on", withheld.on->str());
    if (!withheld.needs.empty()) value.emplace("needs", need_value(withheld.needs));
    list.emplace_back(std::move(value));
  }
  return list;
}

// The plan without its changes and actions.
Map rest_value(const Plan& plan) {
  const auto wave = [](const Wave& item) {
    return Map{{"number", item.number}, {"nodes", node_names(item.nodes)}, {"why", item.why}};
  };
  const auto input = [](const InputFile& file) {
    return Map{{"path", file.path}, {"sha256", file.sha256}};
  };
  Map map{
      {"format_version", kFormatVersion},
      {"fabric", plan.fabric},
      {"inputs", to_list(plan.inputs, input)},
      {"waves", to_list(plan.waves, wave)},
      {"impact", impact_value(plan)},
      {"summary",
       Map{{"add", plan.summary.add},
           {"change", plan.summary.change},
           {"remove", plan.summary.remove},
           {"unknown", plan.summary.unknown},
           {"withheld", plan.summary.withheld}}},
      {"diagnostics", to_list(plan.diagnostics, diagnostic_value)}};
  if (Map scripts = scripts_value(plan); !scripts.empty())
    map.emplace("scripts", std::move(scripts));
  if (plan.stage) map.emplace("stage", true);
  if (!plan.next_round.empty()) map.emplace("next_round", plan.next_round);
  if (!plan.undoes.empty()) map.emplace("undoes", plan.undoes);
  if (plan.backwards) map.emplace("backwards", true);
  if (!plan.limit.empty()) map.emplace("limit", node_names(plan.limit));
  if (List permissions = permission_list(plan.permissions); !permissions.empty())
    map.emplace("permissions", std::move(permissions));
  if (List withheld = withheld_list(plan); !withheld.empty())
    map.emplace("withheld", std::move(withheld));
  if (!plan.orphans.empty()) map.emplace("orphans", to_list(plan.orphans, orphan_value));
  return map;
}

void write_bindings(JsonWriter& out, const Bindings& bindings) {
  if (bindings.empty()) return;
  out.key("bindings");
  out.begin_list();
  for (const auto& [address, binding] : bindings)
    out.value(Map{{"address", address.str()}, {"binding", binding}});
  out.end_list();
}

void write_nodes(JsonWriter& out, const std::map<NodeName, PlanNode>& nodes) {
  out.key("nodes");
  out.begin_object();
  for (const auto& [name, node] : nodes)
    out.member(name.str(), node_value(node));
  out.end_object();
}

void write_plan(JsonWriter& out, const Plan& plan, bool with_digest) {
  const Map rest = rest_value(plan);
  auto next = rest.begin();
  const auto write_until = [&](std::string_view key) {
    for (; next != rest.end() && next->first < key; ++next)
      out.member(next->first, next->second);
  };
  out.begin_object();
  write_long_list(out, "actions", plan.actions, write_action);
  write_until("bindings");
  write_bindings(out, plan.bindings);
  write_long_list(out, "changes", plan.changes, write_change);
  write_until("digest");
  if (with_digest) out.member("digest", plan.digest);
  write_until("nodes");
  write_nodes(out, plan.nodes);
  for (; next != rest.end(); ++next)
    out.member(next->first, next->second);
  out.end_object();
  out.finish();
}

}  // namespace

std::string plan_digest(const Plan& plan) {
  Digest digest;
  JsonWriter out{JsonStyle::line, [&digest](std::string_view piece) {
                   digest.add(piece);
                 }};
  write_plan(out, plan, false);
  return std::move(digest).take();
}

void write_plan_file(const Plan& plan, const JsonWriter::Sink& sink) {
  JsonWriter out{JsonStyle::pretty, sink};
  write_plan(out, plan, true);
}

Result<void> check_plan_size(std::size_t bytes) {
  if (bytes <= limits::kPlanBytes) return {};
  return Error{
      ErrorCode::invalid,
      fmt::format(
          "the plan has {} MiB, and no more than {} are read back: plan a part of the nodes at a "
          "time, by --limit",
          bytes / limits::kMebibyte,
          limits::kPlanBytes / limits::kMebibyte)};
}

std::string to_plan_file(const Plan& plan) {
  std::string text;
  write_plan_file(plan, [&text](std::string_view piece) { text += piece; });
  return text;
}

Value to_value(const Plan& plan) {
  Result<Value> value = parse_checked_json(to_plan_file(plan));
  FABRIC_CHECK(value.has_value(), "a plan file is JSON");
  return *std::move(value);
}

}  // namespace fabric::plans
