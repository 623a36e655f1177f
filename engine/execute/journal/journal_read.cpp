// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/journal/journal_read.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/value/json.hpp"

namespace fabric::execute {

namespace {

constexpr std::array kStates{
    ActionState::done,
    ActionState::already_satisfied,
    ActionState::failed,
    ActionState::unknown,
    ActionState::skipped,
    ActionState::not_started};

std::optional<ActionState> state_of(std::string_view text) {
  const auto found =
      std::ranges::find_if(kStates, [&](ActionState state) { return to_string(state) == text; });
  return found == kStates.end() ? std::nullopt : std::optional{*found};
}

class Reader {
 public:
  // "" or what is wrong with the event.
  std::string take(const Value& event) {
    const std::string kind = event.string_or_empty("event");
    if (kind.empty()) return "there is no 'event'";
    const std::string time = event.string_or_empty("time");
    if (kind == "run_started") return start(event, time);
    if (kind == "run_ended") record_.ended = time;
    if (kind == "action_started") return begin(event);
    if (kind == "action_ended") return end(event);
    if (kind == "action_put_off") return put_off(event);
    return {};  // waves, phases, and events of later versions
  }

  RunRecord record() && { return std::move(record_); }

 private:
  std::string start(const Value& event, const std::string& time) {
    record_.run = event.string_or_empty("run");
    record_.fabric = event.string_or_empty("fabric");
    record_.plan = event.string_or_empty("plan");
    record_.undoes = event.string_or_empty("undoes");
    record_.started = time;
    const Value* actions = event.find("actions");
    const std::int64_t* count = actions == nullptr ? nullptr : actions->as_integer();
    if (record_.run.empty() || count == nullptr || *count < 0)
      return "a run without 'run' or 'actions'";
    record_.planned = static_cast<std::uint64_t>(*count);
    return {};
  }

  // Skipped actions end without having begun.
  RecordedAction* action(const Value& event) {
    const std::string id = event.string_or_empty("id");
    if (id.empty()) return nullptr;
    const auto [at, is_new] = places_.try_emplace(id, record_.actions.size());
    if (is_new) {
      RecordedAction& added = record_.actions.emplace_back();
      added.id = id;
      added.node = event.string_or_empty("node");
    }
    return &record_.actions[at->second];
  }

  std::string begin(const Value& event) {
    RecordedAction* begun = action(event);
    if (begun == nullptr) return "an action without 'id'";
    begun->kind = event.string_or_empty("kind");
    begun->title = event.string_or_empty("title");
    return {};
  }

  std::string put_off(const Value& event) {
    RecordedAction* waiting = action(event);
    if (waiting == nullptr) return "an action without 'id'";
    const Value* waited = event.find("waited_ms");
    const std::int64_t* milliseconds = waited == nullptr ? nullptr : waited->as_integer();
    if (milliseconds == nullptr || *milliseconds < 0) return "a hook without 'waited_ms'";
    waiting->put_off = Duration{*milliseconds};
    waiting->detail = event.string_or_empty("detail");
    return {};
  }

  std::string end(const Value& event) {
    const std::optional<ActionState> state = state_of(event.string_or_empty("state"));
    RecordedAction* ended = action(event);
    if (ended == nullptr) return "an action without 'id'";
    if (!state) return fmt::format("'{}' is no state", event.string_or_empty("state"));
    ended->ended = true;
    ended->put_off.reset();
    ended->state = *state;
    ended->detail = event.string_or_empty("detail");
    ended->cause = event.string_or_empty("cause");
    ended->output = event.string_or_empty("output");
    const Value* took = event.find("took_ms");
    const std::int64_t* milliseconds = took == nullptr ? nullptr : took->as_integer();
    if (milliseconds != nullptr) ended->took = Duration{std::max<std::int64_t>(*milliseconds, 0)};
    return {};
  }

  RunRecord record_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

std::uint64_t RunRecord::count(ActionState state) const {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      actions, [state](const RecordedAction& each) { return each.ended && each.state == state; }));
}

bool RunRecord::is_complete() const {
  return !ended.empty() &&
         count(ActionState::done) + count(ActionState::already_satisfied) == planned;
}

Result<RunRecord> read_journal(std::string_view text) {
  Reader reader;
  std::size_t number = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    ++number;
    const Result<Value> event = parse_json(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (!event) return with_context(event.error(), fmt::format("line {}", number));
    const std::string wrong = reader.take(*event);
    if (!wrong.empty()) return Error{ErrorCode::invalid, fmt::format("line {}: {}", number, wrong)};
  }
  return std::move(reader).record();
}

FormerRun former_run(const RunRecord& record, const plans::Plan& plan) {
  FormerRun former{record.run};
  std::map<std::string, const RecordedAction*> recorded;
  for (const RecordedAction& each : record.actions)
    recorded.emplace(each.id, &each);
  std::set<NodeName> unfinished;
  for (const plans::Action& action : plan.actions) {
    const auto found = recorded.find(action.id);
    const RecordedAction* said = found == recorded.end() ? nullptr : found->second;
    const bool is_done =
        said != nullptr && said->ended &&
        (said->state == ActionState::done || said->state == ActionState::already_satisfied);
    if (!is_done) unfinished.insert(action.node);
    if (said != nullptr && !said->ended && said->put_off)
      former.put_off.emplace(action.node, *said->put_off);
    if (action.draft.kind == methods::kHookBefore) former.done.insert(action.node);
  }
  for (const NodeName& node : unfinished)
    former.done.erase(node);
  return former;
}

void confirm(
    FormerRun& former, const std::set<NodeName>& in_force, const std::set<NodeName>& known) {
  std::erase_if(former.done, [&](const NodeName& node) { return !in_force.contains(node); });
  std::set_intersection(
      former.done.begin(),
      former.done.end(),
      known.begin(),
      known.end(),
      std::inserter(former.known, former.known.end()));
}

}  // namespace fabric::execute
