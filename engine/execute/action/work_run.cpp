// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/work_run.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "engine/base/overloaded.hpp"
#include "engine/base/secrets/redaction.hpp"
#include "engine/base/text.hpp"
#include "engine/provider/file_digests.hpp"
#include "engine/remote/file_digest.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::execute {

namespace {

// Writing or removing a file gives the same file however often it is done.
constexpr int kFileRetries = 2;
constexpr Duration kPauseBeforeRetry{2'000};
// Between two looks at something that takes minutes.
constexpr Duration kLongPause{5'000};

// The digest that a foreign file must have when it is replaced or removed; "" = the path is no
// foreign file.
std::string former_digest(const ActionDraft& draft, const std::string& path) {
  const auto& files = draft.file_preconditions;
  const auto file =
      std::ranges::find_if(files, [&path](const auto& each) { return each.path == path; });
  return file == files.end() ? std::string{} : file->digest;
}

// The steps of a draft as the platform does them. What runs on this machine is the hook's part.
std::vector<remote::Step> steps_of(const ActionDraft& draft, const platform::HostPlatform& host) {
  std::vector<remote::Step> steps;
  const platform::FileWriter* files = host.file_writer();
  const auto add = [&](std::vector<remote::Step> more) {
    std::move(more.begin(), more.end(), std::back_inserter(steps));
  };
  // The planner refuses files where there are none; of a plan from elsewhere the transport does.
  const Overloaded as_done{
      [&](remote::step::WriteFile write) {
        write.former = former_digest(draft, write.path);
        add({files == nullptr ? remote::Step{write} : files->write(write)});
      },
      [&](const remote::step::CopyFile& copy) {
        add({files == nullptr ? remote::Step{copy} : files->copy(copy)});
      },
      [&](remote::step::RemoveFile removal) {
        removal.former = former_digest(draft, removal.path);
        add({files == nullptr ? remote::Step{removal} : files->remove(removal)});
      },
      [&](const remote::step::Run& run) {
        add({host.command_step(remote::Command{run.command.argv, {}, draft.timeout})});
      },
      [&](const remote::step::Converse& talk) {
        add(host.conversations(talk.lines, draft.timeout));
      },
      [](const remote::step::RunHere&) {},
      [](const remote::step::Pause&) {
      }};
  for (const remote::Step& step : draft.steps)
    std::visit(as_done, step);
  return steps;
}

bool is_file_step(const remote::Step& step) {
  return std::holds_alternative<remote::step::WriteFile>(step) ||
         std::holds_alternative<remote::step::CopyFile>(step) ||
         std::holds_alternative<remote::step::RemoveFile>(step);
}

// The text of a command; that of fabric's own script, which stands in the plan, does not help a
// person who looks for the reason.
std::string command_text(const remote::Argv& argv) {
  const bool is_script = argv.size() > 2 && argv[0] == "sh" && argv[1] == "-c";
  return is_script ? "its script" : remote::command_line(argv);
}

std::string lines_text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += (text.empty() ? "" : "; ") + line;
  return text;
}

std::string step_text(const remote::Step& step) {
  return std::visit(
      Overloaded{
          [](const remote::step::Run& run) { return command_text(run.command.argv); },
          [](const remote::step::WriteFile& write) { return "writing " + write.path; },
          [](const remote::step::CopyFile& copy) {
            return fmt::format("copying {} to {}", copy.source, copy.path);
          },
          [](const remote::step::RemoveFile& remove) { return "removing " + remove.path; },
          [](const remote::step::RunHere& run) { return remote::command_line(run.command.argv); },
          [](const remote::step::Converse& talk) { return lines_text(talk.lines); },
          [](const remote::step::Pause&) {
            return std::string{"waiting"};
          }},
      step);
}

bool any_unknown(const std::vector<Mismatch>& unmet) {
  return std::ranges::any_of(unmet, [](const Mismatch& mismatch) { return mismatch.unknown; });
}

}  // namespace

std::string last_words(const remote::CommandOutput& output) {
  for (const std::string* stream : {&output.standard_error, &output.standard_output}) {
    // Hides secrets in the whole text, for a line may belong to a secret that began above it.
    const std::string kept = without_secrets(*stream);
    const auto lines = split_lines(kept);
    const auto line = std::find_if(
        lines.rbegin(), lines.rend(), [](std::string_view text) { return !trim(text).empty(); });
    if (line != lines.rend()) return ": " + std::string{trim(*line)};
  }
  return {};
}

std::string other_machine(
    const NodeFacts& facts, const plans::PlanNode& node, const platform::HostPlatform& host) {
  const std::string found = host.identity(facts).machine_id;
  if (node.machine_id.empty() || found == node.machine_id) return {};
  return fmt::format(
      "{} machine_id: expected {}, found {}",
      facts.node.str(),
      node.machine_id,
      found.empty() ? "unknown" : found);
}

WorkRun::WorkRun(const plans::Action& action, ActionContext context)
    : ReadingRun{action, std::move(context)}, steps_{steps_of(action.draft, context_.host())} {}

WorkRun::Next WorkRun::next(const remote::StepResult& result) {
  switch (state_) {
    case State::working:
      return work_on(result);
    case State::pausing_before_retry:
      state_ = State::working;
      return steps_[at_];
    case State::settling:
      return read_back();
    case State::flushing:
      return flushed(result);
    case State::pausing_before_flush:
      return flush();
    case State::reading_before:
    case State::reading_back:
      break;
  }
  FactsRequest::Progress progress = request_.next(result);
  if (progress.step) return std::move(progress.step);
  if (progress.error) return read_failed(*progress.error);
  return state_ == State::reading_before ? before(*progress.facts)
                                         : back(*progress.facts, result.ended);
}

WorkRun::Next WorkRun::read_failed(const Error& error) {
  if (state_ == State::reading_before) return end(ActionState::failed, error.code, error.message);
  return end(ActionState::unknown, error.code, "the new state can't be read: " + error.message);
}

WorkRun::Next WorkRun::before(const NodeFacts& facts) {
  const ActionDraft& draft = action_.draft;
  if (std::string other = other_machine(facts, context_.node, context_.host()); !other.empty()) {
    return end(ActionState::failed, ErrorCode::stale, std::move(other));
  }
  unmet_before_ = context_.judge.mismatches(draft.postconditions, facts);
  if (!draft.postconditions.empty() && unmet_before_.empty()) {
    ends_as_ = ActionState::already_satisfied;
    return flush();
  }
  const std::vector<std::string> changed = changed_files(draft, facts);
  if (!changed.empty())
    return end(ActionState::failed, ErrorCode::stale, changed.front() + "; plan again");
  const std::vector<Mismatch> stale = context_.judge.stale(draft, facts);
  if (!stale.empty()) return end(ActionState::failed, ErrorCode::stale, stale.front().text());
  state_ = State::working;
  at_ = 0;
  return steps_.empty() ? read_back() : Next{steps_.front()};
}

WorkRun::Next WorkRun::work_on(const remote::StepResult& result) {
  const remote::Step& step = steps_[at_];
  if (result.outcome != remote::Outcome::succeeded) {
    if (is_file_step(step) && step_retries_ < kFileRetries) {
      ++step_retries_;
      state_ = State::pausing_before_retry;
      return remote::step::Pause{kPauseBeforeRetry};
    }
    lost_ = result.error;
    command_failed_ = !is_file_step(step);
    trouble_ = fmt::format("{}: {}", step_text(step), result.error.message);
    return read_back();
  }
  // Nothing that is read back could make it right: what it goes by is not what was planned for.
  if (remote::says_changed(result.output)) {
    return end(
        ActionState::failed,
        ErrorCode::stale,
        fmt::format("{}{}", action_.node.str(), last_words(result.output)));
  }
  if (result.output.exit_status != 0) {
    command_failed_ = !is_file_step(step);
    trouble_ = fmt::format(
        "{}: exit {}{}", step_text(step), result.output.exit_status, last_words(result.output));
    return read_back();
  }
  if (context_.host().asks_for_power_cycle(result.output)) result_.power_cycle = true;
  if (++at_ < steps_.size()) return steps_[at_];
  return read_back();
}

WorkRun::Next WorkRun::read_back() {
  if (state_ != State::settling) context_.phase("reading back");
  state_ = State::reading_back;
  return read(action_.draft.postconditions, action_.draft.preconditions, lost_.has_value());
}

bool WorkRun::may_settle(const std::vector<Mismatch>& unmet, TimePoint now) const {
  // Written values are there at once; only running ones may take their time.
  const bool running = std::ranges::all_of(
      unmet, [](const Mismatch& mismatch) { return mismatch.condition.layer == Layer::running; });
  return running && trouble_.empty() && now < *settle_by_;
}

bool WorkRun::is_witnessed() const {
  if (!command_failed_ || action_.draft.stage != Stage::activate) return true;
  const std::vector<Condition>& wanted = action_.draft.postconditions;
  return std::ranges::any_of(
      wanted, [](const Condition& condition) { return condition.layer != Layer::persistent; });
}

bool WorkRun::may_go_on(const std::vector<Mismatch>& unmet, TimePoint now) {
  if (!action_.draft.once || !lost_) return false;
  if (!over_by_) over_by_ = now + action_.draft.timeout;
  return now < *over_by_ && any_unknown(unmet);
}

std::string WorkRun::part_text(const std::vector<Mismatch>& unmet) {
  for (const Mismatch& before : unmet_before_) {
    const auto after = std::ranges::find_if(
        unmet, [&](const Mismatch& each) { return each.condition == before.condition; });
    const bool is_met = after == unmet.end();
    if (before.unknown || (!is_met && (after->unknown || after->found == before.found))) continue;
    result_.in_part = true;
    const Value& wanted = before.condition.equals;
    return fmt::format(
        "; the action was done in part: {} {} was {} and is {}",
        before.condition.address.str(),
        before.condition.attribute,
        before.found,
        !is_met            ? after->found
        : wanted.is_null() ? "absent"
                           : to_text(wanted));
  }
  return {};
}

WorkRun::Next WorkRun::back(const NodeFacts& facts, TimePoint now) {
  const ActionDraft& draft = action_.draft;
  const std::vector<Mismatch> unmet = context_.judge.mismatches(draft.postconditions, facts);
  const bool judged = !draft.postconditions.empty();
  if (judged && unmet.empty() && is_witnessed()) {
    if (!trouble_.empty()) trouble_ += "; read back and found right";
    return flush();
  }
  if (!judged && trouble_.empty()) return flush();
  if (!settle_by_) settle_by_ = now + draft.settles;
  if (judged && may_settle(unmet, now)) {
    state_ = State::settling;
    return remote::step::Pause{kSettlePause};
  }
  if (judged && may_go_on(unmet, now)) {
    state_ = State::settling;
    return remote::step::Pause{kLongPause};
  }
  // The result is missing and its preconditions still hold: the action may begin as it did the
  // first time, unless it must never be repeated. An action whose rollback timer may have fired
  // meanwhile is not repeated, because no timer would hold the second try.
  if (lost_ && !repeated_ && !draft.once && action_.guard == Duration{0} &&
      context_.judge.stale(draft, facts).empty() && changed_files(draft, facts, true).empty()) {
    return repeat();
  }
  if (!judged && lost_) return end(ActionState::unknown, lost_->code, trouble_);
  if (draft.once && lost_ && any_unknown(unmet)) {
    return end(
        ActionState::unknown,
        lost_->code,
        fmt::format("{}, and read back {}", trouble_, unmet.front().text()));
  }
  if (!judged) return end(ActionState::failed, ErrorCode::denied, trouble_);
  if (unmet.empty()) {
    return end(
        lost_ ? ActionState::unknown : ActionState::failed,
        lost_ ? lost_->code : ErrorCode::denied,
        trouble_ + "; its files are as desired, but nothing shows the running state");
  }
  return end(
      ActionState::failed,
      lost_ ? lost_->code : ErrorCode::denied,
      fmt::format(
          "{}, and read back {}{}",
          trouble_.empty() ? std::string{"every step reported success"} : trouble_,
          unmet.front().text(),
          part_text(unmet)));
}

// True if a power cut may undo the action: the output of a command, a step whose end was not seen,
// and a step of a run that died an instant ago.
bool WorkRun::may_be_lost() const {
  const ActionDraft& draft = action_.draft;
  const std::vector<Condition>& wanted = draft.postconditions;
  const bool nobody_saw = lost_ || !trouble_.empty() || ends_as_ == ActionState::already_satisfied;
  const bool only_runs =
      !wanted.empty() && std::ranges::all_of(wanted, [](const Condition& condition) {
        return condition.layer == Layer::running;
      });
  const bool by_command = std::ranges::any_of(draft.steps, [](const remote::Step& step) {
    return std::holds_alternative<remote::step::Run>(step) ||
           std::holds_alternative<remote::step::Converse>(step);
  });
  return !only_runs && (by_command || nobody_saw);
}

WorkRun::Next WorkRun::flush() {
  std::optional<remote::Step> step = context_.host().flush_step();
  if (!step || !may_be_lost()) return end(ends_as_, ErrorCode::internal, trouble_);
  state_ = State::flushing;
  return step;
}

WorkRun::Next WorkRun::flushed(const remote::StepResult& result) {
  const bool answered = result.outcome == remote::Outcome::succeeded;
  if (answered && result.output.exit_status == 0)
    return end(ends_as_, ErrorCode::internal, trouble_);
  if (flush_retries_++ < kFileRetries) {
    state_ = State::pausing_before_flush;
    return remote::step::Pause{kPauseBeforeRetry};
  }
  return end(
      ActionState::unknown,
      answered ? ErrorCode::denied : result.error.code,
      fmt::format(
          "the change is there, but a power cut could undo it: the disk could not be flushed{}",
          answered ? last_words(result.output) : ": " + result.error.message));
}

WorkRun::Next WorkRun::repeat() {
  repeated_ = true;
  lost_.reset();
  command_failed_ = false;
  trouble_.clear();
  at_ = 0;
  context_.phase("trying again");
  state_ = State::working;
  return steps_.front();
}

}  // namespace fabric::execute
