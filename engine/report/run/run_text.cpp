// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run/run_text.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::report {

namespace {

using execute::ActionState;

std::string seconds_of(const std::string& time) {
  const std::size_t dot = time.find('.');
  return dot == std::string::npos ? time : time.substr(0, dot) + "Z";
}

Colour colour_of(const execute::RecordedAction& action) {
  const bool is_good = action.ended && (action.state == ActionState::done ||
                                        action.state == ActionState::already_satisfied);
  return is_good ? Colour::green : Colour::red;
}

}  // namespace

std::string outcome_text(const execute::RunRecord& run) {
  const std::uint64_t good =
      run.count(ActionState::done) + run.count(ActionState::already_satisfied);
  if (run.is_complete()) return fmt::format("applied, {}", count(run.planned, "action"));
  if (run.ended.empty()) return fmt::format("cut short after {} of {} actions", good, run.planned);
  std::string text = fmt::format("{} of {} actions", good, run.planned);
  for (const ActionState state :
       {ActionState::failed,
        ActionState::unknown,
        ActionState::skipped,
        ActionState::not_started}) {
    if (run.count(state) > 0) text += fmt::format(", {} {}", run.count(state), to_string(state));
  }
  return text;
}

Text history_text(const std::vector<execute::RunRecord>& runs) {
  if (runs.empty()) return "no runs here yet\n";
  Text text;
  for (const execute::RunRecord& run : runs) {
    text += compose(
        "{:<21} {:<22} {}{}\n",
        run.started.empty() ? "never began" : seconds_of(run.started),
        run.run,
        run.undoes.empty() ? "" : fmt::format("undoes {}: ", run.undoes),
        run.started.empty() ? "nothing was written" : outcome_text(run));
  }
  return text;
}

Text run_text(const execute::RunRecord& run, const Style& style) {
  Text text = compose(
      "run {} of {}, {} to {}\n\n",
      run.run,
      run.fabric,
      seconds_of(run.started),
      run.ended.empty() ? "at an unknown time" : seconds_of(run.ended));
  for (const execute::RecordedAction& action : run.actions) {
    Text line = compose(
        "{} {}: {}: {}",
        action.id,
        action.node,
        action.ended ? to_string(action.state) : "in flight when the run was cut short",
        action.title);
    if (!action.detail.empty()) line += compose(": {}", action.detail);
    text += paint(style, colour_of(action), wrap(line, style.width, 4)) + "\n";
    for (const std::string_view printed : split_lines(trim(action.output)))
      text += compose("    | {}\n", printed);
  }
  return text + "\n" + outcome_text(run) + "\n";
}

}  // namespace fabric::report
