#include <fmt/format.h>

#include "engine/value/digest.hpp"
#include "engine/value/json.hpp"
#include "plans/plan_file.hpp"

namespace fabric::plans {

namespace {

template <class Items, class Function>
List list_of(const Items& items, Function to_item) {
  List list;
  list.reserve(items.size());
  for (const auto& item : items)
    list.emplace_back(to_item(item));
  return list;
}

List texts(const std::vector<std::string>& items) {
  return list_of(items, [](const std::string& item) { return Value{item}; });
}

List commands(const std::vector<remote::Argv>& items) {
  return list_of(items, [](const remote::Argv& argv) { return Value{texts(argv)}; });
}

List node_names(const std::vector<NodeName>& nodes) {
  return list_of(nodes, [](const NodeName& node) { return Value{node.str()}; });
}

// A known value stands for itself and null is "absent"; what could be taken for another state is
// wrapped.
Value reading_value(const Reading& reading) {
  if (reading.is_unknown()) return Map{{"unknown", reading.why()}};
  const Value* value = reading.value();
  if (value == nullptr) return {};
  if (value->is_null() || value->as_map() != nullptr) return Map{{"known", *value}};
  return *value;
}

Map source_value(const SourceLine& source) {
  return {{"file", source.file}, {"line", source.line}, {"column", source.column}};
}

Map change_value(const PlannedChange& change) {
  const AttributeChange& attribute = change.attribute;
  Map map{
      {"address", change.address.str()},
      {"node", change.address.node.str()},
      {"kind", to_string(change.kind)},
      {"attribute", attribute.attribute},
      {"desired", attribute.desired},
      {"disruption", to_string(attribute.disruption)},
      {"write", attribute.write},
      {"activate", attribute.activate},
      {"source", source_value(change.source)},
      {"reason", attribute.reason},
      {"not_planned", change.not_planned}};
  if (const auto& running = attribute.observed.running)
    map.emplace("current", reading_value(*running));
  if (const auto& next = attribute.observed.next_boot) map.emplace("pending", reading_value(*next));
  if (const auto& file = attribute.observed.persistent)
    map.emplace("persistent", reading_value(*file));
  return map;
}

List writes_value(const std::vector<remote::step::WriteFile>& writes) {
  return list_of(writes, [](const remote::step::WriteFile& write) {
    return Map{
        {"path", write.path},
        {"mode", fmt::format("{:04o}", write.mode)},
        {"owner", write.owner},
        {"sha256", sha256(std::string_view{write.content})},
        {"content", write.content}};
  });
}

List copies_value(const std::vector<remote::step::CopyFile>& copies) {
  return list_of(copies, [](const remote::step::CopyFile& copy) {
    return Map{
        {"source", copy.source},
        {"sha256", "sha256:" + copy.sha256},
        {"bytes", static_cast<std::int64_t>(copy.bytes)},
        {"path", copy.path},
        {"mode", fmt::format("{:04o}", copy.mode)},
        {"owner", copy.owner}};
  });
}

List conditions_value(const std::vector<Condition>& conditions) {
  return list_of(conditions, [](const Condition& condition) {
    return Map{
        {"address", condition.address.str()},
        {"attribute", condition.attribute},
        {"layer", to_string(condition.layer)},
        {"equals", condition.equals}};
  });
}

Map undo_value(const ActionDraft& draft) {
  return {
      {"writes", writes_value(draft.undo_writes)},
      {"removes", texts(draft.undo_removes)},
      {"commands", commands(draft.undo_commands)},
      {"irreversible", draft.irreversible}};
}

Map reboot_value(const RebootDeadlines& reboot) {
  Map value{
      {"down_ms", std::int64_t{reboot.down.count()}},
      {"up_ms", std::int64_t{reboot.up.count()}},
      {"stable_ms", std::int64_t{reboot.stable.count()}}};
  if (!reboot.command.empty()) value.emplace("command", texts(reboot.command));
  return value;
}

Map action_value(const Action& action) {
  const ActionDraft& draft = action.draft;
  const auto address = [](const ResourceAddress& covered) {
    return Value{covered.str()};
  };
  Map value{
      {"id", action.id},
      {"node", action.node.str()},
      {"kind", draft.kind},
      {"title", draft.title},
      {"stage", to_string(draft.stage)},
      {"disruption", to_string(draft.disruption)},
      {"wave", action.wave},
      {"needs", texts(action.needs)},
      {"after", texts(action.after)},
      {"mutex", texts(action.mutex)},
      {"covers", list_of(action.covers, address)},
      {"writes", writes_value(draft.writes)},
      {"removes", texts(draft.removes)},
      {"commands", commands(draft.commands)},
      {"timeout_ms", std::int64_t{draft.timeout.count()}},
      {"preconditions", conditions_value(draft.preconditions)},
      {"postconditions", conditions_value(draft.postconditions)},
      {"undo", undo_value(draft)},
      {"guard_ms", std::int64_t{action.guard.count()}},
      {"sequence", action.sequence},
      {"reboot", reboot_value(action.reboot)}};
  if (!draft.copies.empty()) value.emplace("copies", copies_value(draft.copies));
  if (!draft.here.empty()) value.emplace("here", texts(draft.here));
  if (!action.closes.empty()) value.emplace("closes", action.closes);
  if (draft.once) value.emplace("once", true);
  if (!draft.by_hand.empty()) value.emplace("by_hand", draft.by_hand);
  return value;
}

Map node_value(const PlanNode& node) {
  return {
      {"reachable", node.reachable},
      {"failure", node.failure},
      {"machine_id", node.machine_id},
      {"host_key", node.host_key},
      {"boot_id", node.boot_id},
      {"facts_digest", node.facts_digest}};
}

Map diagnostic_value(const PlanDiagnostic& diagnostic) {
  return {
      {"severity", to_string(diagnostic.severity)},
      {"rule", diagnostic.rule},
      {"message", diagnostic.message},
      {"help", diagnostic.help},
      {"source", source_value(diagnostic.source)}};
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
      {"binding", orphan.binding}};
}

Map without_digest(const Plan& plan) {
  Map nodes;
  for (const auto& [name, node] : plan.nodes)
    nodes.emplace(name.str(), node_value(node));
  const auto wave = [](const Wave& item) {
    return Map{{"number", item.number}, {"nodes", node_names(item.nodes)}, {"why", item.why}};
  };
  const auto input = [](const InputFile& file) {
    return Map{{"path", file.path}, {"sha256", file.sha256}};
  };
  Map map{
      {"format_version", kFormatVersion},
      {"fabric", plan.fabric},
      {"inputs", list_of(plan.inputs, input)},
      {"nodes", std::move(nodes)},
      {"changes", list_of(plan.changes, change_value)},
      {"actions", list_of(plan.actions, action_value)},
      {"waves", list_of(plan.waves, wave)},
      {"impact",
       Map{{"reboots", plan.impact.reboots},
           {"waves", static_cast<std::uint32_t>(plan.waves.size())},
           {"link_flaps", plan.impact.link_flaps},
           {"sm_moves", plan.impact.sm_moves},
           {"irreversible", texts(plan.impact.irreversible)},
           {"management_path", texts(plan.impact.management_path)}}},
      {"summary",
       Map{{"add", plan.summary.add},
           {"change", plan.summary.change},
           {"remove", plan.summary.remove},
           {"unknown", plan.summary.unknown},
           {"unplanned", plan.summary.unplanned}}},
      {"diagnostics", list_of(plan.diagnostics, diagnostic_value)}};
  if (plan.stage) map.emplace("stage", true);
  if (!plan.orphans.empty()) map.emplace("orphans", list_of(plan.orphans, orphan_value));
  List bindings;
  for (const auto& [address, binding] : plan.bindings)
    bindings.emplace_back(Map{{"address", address.str()}, {"binding", binding}});
  if (!bindings.empty()) map.emplace("bindings", std::move(bindings));
  return map;
}

}  // namespace

std::string plan_digest(const Plan& plan) {
  return sha256(Value{without_digest(plan)});
}

Value to_value(const Plan& plan) {
  Map map = without_digest(plan);
  map.emplace("digest", plan.digest);
  return map;
}

std::string to_plan_file(const Plan& plan) {
  return to_json_pretty(to_value(plan));
}

}  // namespace fabric::plans
