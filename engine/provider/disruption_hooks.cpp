// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/disruption_hooks.hpp"

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric {

namespace {

remote::Argv command_of(
    const Resource& drain, std::string_view when, const std::set<NodeName>& interrupts = {}) {
  remote::Argv argv;
  for (const Value& word : drain.bound_list(when))
    argv.push_back(to_text(word));
  if (argv.empty()) return argv;
  argv = given(std::move(argv), drain.address.node);
  if (interrupts.empty()) return argv;
  std::vector<std::string> names;
  for (const NodeName& host : interrupts)
    names.push_back(host.str());
  remote::Argv with{"env", fmt::format("FABRIC_INTERRUPTS={}", fmt::join(names, " "))};
  with.insert(with.end(), argv.begin(), argv.end());
  return with;
}

ActionDraft draft_of(const Resource& drain, std::string_view kind) {
  ActionDraft draft;
  draft.kind = kind;
  draft.timeout = drain_timeout(drain).value_or(draft.timeout);
  return draft;
}

Condition drained(const Resource& drain, bool yes) {
  return {drain.address, std::string{kDrained}, Layer::running, yes};
}

}  // namespace

remote::Argv given(remote::Argv command, const NodeName& node) {
  if (command.empty()) return command;
  const bool is_text = command.size() == 3 && command[0] == "sh" && command[1] == "-c";
  if (is_text) command.emplace_back("fabric");
  command.push_back(node.str());
  return command;
}

std::string drained_record(std::string_view state_folder) {
  return std::string{state_folder} + "/drained";
}

std::optional<Duration> drain_timeout(const Resource& drain) {
  const Value* timeout = drain.bound(keys::kTimeoutMs);
  const std::int64_t* milliseconds = timeout == nullptr ? nullptr : timeout->as_integer();
  if (milliseconds == nullptr) return std::nullopt;
  return Duration{*milliseconds};
}

bool has_hooks(const Resource& drain) {
  return !command_of(drain, keys::kBefore).empty() || !command_of(drain, keys::kAfter).empty();
}

std::optional<ActionDraft> before_disruption(
    const Resource& drain, const DrainRecord& record, const std::set<NodeName>& interrupts) {
  remote::Argv here = command_of(drain, keys::kBefore, interrupts);
  const bool is_owed = !command_of(drain, keys::kAfter).empty() || record.file.empty();
  if (here.empty() && !is_owed) return std::nullopt;
  ActionDraft draft = draft_of(drain, methods::kHookBefore);
  draft.title = fmt::format(
      "{} {}",
      here.empty() ? "note the disruption of" : "run before_disruption for",
      drain.address.node.str());
  if (is_owed) draft.postconditions.push_back(drained(drain, true));
  if (is_owed && record.file.empty()) {
    draft.steps.run(record.note);
  } else if (is_owed) {
    draft.steps.write(
        {record.file,
         "# fabric: hooks.after_disruption has not run yet for what was begun here.\n"});
  }
  if (!here.empty()) draft.steps.here(std::move(here));
  return draft;
}

std::optional<ActionDraft> after_disruption(
    const Resource& drain, const DrainRecord& record, const std::set<NodeName>& interrupts) {
  remote::Argv here = command_of(drain, keys::kAfter, interrupts);
  if (here.empty() && !record.file.empty()) return std::nullopt;
  ActionDraft draft = draft_of(drain, methods::kHookAfter);
  const std::string& node = drain.address.node.str();
  draft.title = here.empty() ? fmt::format("leave the maintenance mode of {}", node)
                             : fmt::format("run after_disruption for {}", node);
  if (!here.empty()) draft.steps.here(std::move(here));
  if (record.file.empty()) {
    draft.steps.run(record.leave);
  } else {
    draft.steps.remove(record.file);
  }
  draft.postconditions.push_back(drained(drain, false));
  return draft;
}

ActionDraft enter_maintenance(const Resource& drain, remote::Argv enter) {
  constexpr Duration kToSayWhy{60'000};
  ActionDraft draft = draft_of(drain, methods::kMaintenanceEnter);
  draft.title = fmt::format("enter the maintenance mode of {}", drain.address.node.str());
  draft.stage = Stage::activate;
  draft.steps.run(std::move(enter));
  draft.timeout += kToSayWhy;
  draft.postconditions.push_back(
      {drain.address, std::string{kInMaintenance}, Layer::running, true});
  return draft;
}

Work leave_maintenance(const Change& change, const platform::MaintenanceMode& mode) {
  Work work;
  if (change.attributes.empty()) return work;
  std::optional<ActionDraft> draft =
      after_disruption(change.resource, {{}, mode.note(), mode.leave()});
  if (draft) work.actions.push_back(*std::move(draft));
  return work;
}

}  // namespace fabric
