#include "engine/provider/disruption_hooks.hpp"

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric {

namespace {

remote::Argv command_of(const Resource& drain, std::string_view when) {
  remote::Argv argv;
  const auto found = drain.binding.find(std::string{when});
  const List* words = found == drain.binding.end() ? nullptr : found->second.as_list();
  if (words == nullptr) return argv;
  for (const Value& word : *words)
    argv.push_back(to_text(word));
  return given(std::move(argv), drain.address.node);
}

ActionDraft draft_of(const Resource& drain, std::string_view kind, remote::Argv here) {
  ActionDraft draft;
  draft.kind = kind;
  draft.here = std::move(here);
  const auto timeout = drain.binding.find(keys::kTimeoutMs);
  const std::int64_t* milliseconds =
      timeout == drain.binding.end() ? nullptr : timeout->second.as_integer();
  if (milliseconds != nullptr) draft.timeout = Duration{*milliseconds};
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

std::optional<ActionDraft> before_disruption(const Resource& drain) {
  remote::Argv here = command_of(drain, keys::kBefore);
  const bool is_owed = !command_of(drain, keys::kAfter).empty();
  if (here.empty() && !is_owed) return std::nullopt;
  ActionDraft draft = draft_of(drain, methods::kHookBefore, std::move(here));
  draft.title = fmt::format(
      "{} {}",
      draft.here.empty() ? "note the disruption of" : "run before_disruption for",
      drain.address.node.str());
  if (!is_owed) return draft;
  draft.writes.push_back(
      {kDrainedRecord,
       "# fabric: hooks.after_disruption has not run yet for what was begun here.\n",
       0644,
       "root:root"});
  draft.postconditions.push_back(drained(drain, true));
  return draft;
}

std::optional<ActionDraft> after_disruption(const Resource& drain) {
  remote::Argv here = command_of(drain, keys::kAfter);
  if (here.empty()) return std::nullopt;
  ActionDraft draft = draft_of(drain, methods::kHookAfter, std::move(here));
  draft.title = fmt::format("run after_disruption for {}", drain.address.node.str());
  draft.removes.emplace_back(kDrainedRecord);
  draft.postconditions.push_back(drained(drain, false));
  return draft;
}

}  // namespace fabric
