// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/journal/journal.hpp"

#include "engine/value/json.hpp"

namespace fabric::execute {

namespace {

// The most bytes kept of one hook's output.
constexpr std::size_t kKeptOutput = 65'536;

}  // namespace

Journal::Journal(JournalSink& sink, const Clock& clock) : sink_{sink}, clock_{clock} {}

void Journal::put(Map event) {
  if (!health_) return;  // lines after a lost one would mislead
  event.emplace("time", format_utc(clock_.unix_milliseconds()));
  health_ = sink_.append(to_json(event));
}

void Journal::run_started(const plans::Plan& plan, const std::string& run) {
  Map event{
      {"event", "run_started"},
      {"run", run},
      {"fabric", plan.fabric},
      {"plan", plan.digest},
      {"actions", static_cast<std::int64_t>(plan.actions.size())}};
  if (!plan.undoes.empty()) event.emplace("undoes", plan.undoes);
  put(std::move(event));
}

void Journal::wave_started(const plans::Wave& wave) {
  List nodes;
  for (const NodeName& node : wave.nodes)
    nodes.emplace_back(node.str());
  put({{"event", "wave_started"}, {"wave", wave.number}, {"nodes", std::move(nodes)}});
}

void Journal::action_started(const plans::Action& action) {
  put(
      {{"event", "action_started"},
       {"id", action.id},
       {"node", action.node.str()},
       {"kind", action.draft.kind},
       {"title", action.draft.title}});
}

void Journal::action_phase(const plans::Action& action, const std::string& phase) {
  put({{"event", "action_phase"}, {"id", action.id}, {"phase", phase}});
}

void Journal::action_put_off(
    const plans::Action& action, const std::string& said, Duration waited) {
  put(
      {{"event", "action_put_off"},
       {"id", action.id},
       {"node", action.node.str()},
       {"detail", said},
       {"waited_ms", std::int64_t{waited.count()}}});
}

void Journal::action_ended(const plans::Action& action, const ActionResult& result) {
  Map event{
      {"event", "action_ended"},
      {"id", action.id},
      {"node", action.node.str()},
      {"state", to_string(result.state)},
      {"detail", result.detail},
      {"cause", result.cause},
      {"took_ms", std::int64_t{result.took.count()}}};
  if (!result.output.empty()) event.emplace("output", result.output.substr(0, kKeptOutput));
  put(std::move(event));
}

void Journal::run_ended(const std::vector<ActionResult>& results) {
  Map counts;
  for (const ActionResult& result : results) {
    Value& count = counts[std::string{to_string(result.state)}];
    const std::int64_t* so_far = count.as_integer();
    count = (so_far == nullptr ? 0 : *so_far) + std::int64_t{1};
  }
  put({{"event", "run_ended"}, {"results", std::move(counts)}});
}

Result<void> DurableSink::append(std::string_view line) {
  if (Result<void> written = file_.write(std::string{line} + '\n'); !written) return written;
  return file_.sync();
}

}  // namespace fabric::execute
