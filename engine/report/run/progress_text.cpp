// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run/progress_text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/execute/reboot/reboot.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/report/diagnostics/grouping.hpp"
#include "engine/report/plan/action_words.hpp"

namespace fabric::report {

namespace {

constexpr std::size_t kBarColumns = 24;
// Nodes at work that the live display lists; more would scroll a small terminal.
constexpr std::size_t kWorkLines = 8;
// A redraw more often than this only flickers.
constexpr Duration kRedrawEvery{200};
// Equal events of several nodes within this time are one line.
constexpr Duration kHeldFor{2'000};
// A boot takes minutes: that it still does is told again after so long.
constexpr Duration kBootIsTold{30'000};

Colour colour_of(execute::ActionState state) {
  using execute::ActionState;
  switch (state) {
    case ActionState::done:
      return Colour::green;
    case ActionState::already_satisfied:
      return Colour::dim;
    case ActionState::failed:
    case ActionState::unknown:
      return Colour::red;
    case ActionState::skipped:
    case ActionState::not_started:
      return Colour::yellow;
  }
  return Colour::none;
}

bool is_good(execute::ActionState state) {
  return state == execute::ActionState::done || state == execute::ActionState::already_satisfied;
}

}  // namespace

TextProgress::TextProgress(Sink sink, const Clock& clock, Style style, Display display)
    : sink_{std::move(sink)},
      clock_{clock},
      style_{style},
      display_{display},
      started_{clock.now()},
      drawn_{clock.now()} {}

std::string TextProgress::elapsed() const {
  return format_duration(clock_.now() - started_);
}

Text TextProgress::bar(std::size_t done, std::size_t all) const {
  const std::size_t full = all == 0 ? 0 : done * kBarColumns / all;
  return "[" + Text::repeated(full, '#') + Text::repeated(kBarColumns - full, '.') + "]";
}

Text TextProgress::shortened(const Text& text) const {
  return shorten(text, style_.width - 1);
}

void TextProgress::erase() {
  if (drawn_lines_ == 0) return;
  Text back = "\r";
  for (std::size_t i = 1; i < drawn_lines_; ++i)
    back += "\x1b[A";
  sink_(back + "\x1b[J");
  drawn_lines_ = 0;
}

void TextProgress::line(const Text& text) {
  tell_held();
  show({text});
}

void TextProgress::show(const std::vector<Text>& lines) {
  erase();
  for (const Text& text : lines)
    sink_(text + "\n");
  redraw();
}

// Verbose output prints each event at once.
void TextProgress::hold(Held held) {
  if (held_.empty()) held_since_ = clock_.now();
  held_.push_back(std::move(held));
  if (style_.verbose || clock_.now() - held_since_ >= kHeldFor) tell_held();
}

void TextProgress::tell_held() {
  if (held_.empty()) return;
  const std::vector<Held> told = std::exchange(held_, {});
  Diagnostics events;
  for (const Held& each : told)
    events.add(
        {Severity::info, each.became + each.verb, {}, each.what, {}, {}, Subject{each.node}});
  std::vector<Text> lines;
  for (const FindingGroup& group :
       style_.verbose ? single_findings(events) : group_findings(events)) {
    const Held& first = told[group.members.front()];
    const std::size_t members = group.members.size();
    const SaidByAll said = said_by_all(group, events);
    Text text;
    if (first.verb.empty()) {
      text = compose("{}  {}  ", format_duration(first.at - started_), said.who);
      if (!first.became.empty()) text += paint(style_, first.colour, first.became) + "  ";
      text += said.what;
      if (members > 1) text += compose(" ({} actions)", members);
    } else {
      text = said.who;
      if (members > 1) text += compose(" ({} nodes)", members);
      text += compose(" {} {}: {}", members > 1 ? "were" : "was", first.verb, said.what);
      text = paint(style_, first.colour, text);
    }
    lines.push_back(std::move(text));
  }
  show(lines);
}

void TextProgress::redraw() {
  if (display_ != Display::terminal || all_ == 0) return;
  erase();
  Text text = compose("{} {} {}/{}  {}", what_, bar(done_, all_), done_, all_, elapsed());
  if (failed_ != 0) text += compose("  {} failed", failed_);
  text = shortened(text);
  std::size_t lines = 1;
  for (const auto& [id, work] : running_) {
    if (lines > kWorkLines) {
      text += compose("\n  and {} more", running_.size() - kWorkLines);
      ++lines;
      break;
    }
    text += "\n" + shortened(compose("  {}  {}  {}", work.node, work.doing, time_of(work)));
    ++lines;
  }
  sink_(text);
  drawn_lines_ = lines;
  drawn_ = clock_.now();
}

bool TextProgress::is_told_again(const Work& work) const {
  return style_.verbose || !work.is_reboot ||
         clock_.now() - work.told.value_or(work.since) >= kBootIsTold;
}

std::string TextProgress::time_of(const Work& work) const {
  const Duration since = clock_.now() - work.since;
  if (work.limit)
    return fmt::format("{} of at most {}", format_duration(since), format_duration(*work.limit));
  if (!work.wait) return format_duration(since);
  return format_duration(std::max(*work.wait - since, Duration{0})) + " left";
}

// Stays on the screen: the run waits until a person has read it.
void TextProgress::ask(const plans::Action& action) {
  const ActionDraft& draft = action.draft;
  Work& work = running_[action.id];
  work = {action.node.str(), "waiting for a person: " + draft.by_hand, clock_.now(), {}};
  work.wait = wait_of(action);
  if (!asked_.insert(draft.by_hand).second) return redraw();
  line(paint(
      style_,
      Colour::bold,
      compose(
          "{}  BY HAND: {} now; waiting {}",
          elapsed(),
          draft.by_hand,
          format_duration(wait_of(action)))));
}

void TextProgress::tick() {
  if (!held_.empty() && clock_.now() - held_since_ >= kHeldFor) tell_held();
  if (clock_.now() - drawn_ >= kRedrawEvery) redraw();
}

void TextProgress::discover_started(std::size_t nodes) {
  started_ = clock_.now();
  what_ = "reading";
  all_ = nodes;
  done_ = failed_ = 0;
  if (display_ == Display::lines) {
    line(compose("reading {}", count(nodes, "node")));
  } else {
    redraw();
  }
}

void TextProgress::discover_node(const NodeFacts& facts) {
  ++done_;
  if (!facts.reachable()) {
    ++failed_;
    hold({clock_.now(), facts.node.str(), {}, "not reached", facts.failure->message, Colour::red});
  } else {
    tick();
  }
}

void TextProgress::discover_waiting(const std::vector<NodeName>& nodes) {
  if (nodes.empty()) return;
  line(shortened(compose("{}  still waiting for {}", elapsed(), fold(nodes))));
}

void TextProgress::discover_ended() {
  tell_held();
  const std::size_t reached = done_ - std::min(done_, failed_);
  erase();
  const std::size_t all = all_;
  all_ = 0;
  line(compose("read {} of {} in {}", reached, count(all, "node"), elapsed()));
}

void TextProgress::run_started(const plans::Plan& plan, const std::string& run) {
  started_ = clock_.now();
  what_ = "applying";
  all_ = plan.actions.size();
  done_ = failed_ = 0;
  running_.clear();
  asked_.clear();
  line(compose("run {}: {}", run, count(all_, "action")));
}

void TextProgress::wave_started(const plans::Wave& wave) {
  if (wave.number == 0) return;
  line(shortened(compose("{}  wave {}: {}", elapsed(), wave.number, fold(wave.nodes))));
}

void TextProgress::action_started(const plans::Action& action) {
  running_[action.id] = {action.node.str(), action.draft.title, clock_.now(), {}};
  if (display_ == Display::terminal) tick();
}

void TextProgress::action_phase(const plans::Action& action, const std::string& phase) {
  if (!action.draft.by_hand.empty() && phase == action.draft.by_hand) return ask(action);
  Work& work = running_[action.id];
  work = {action.node.str(), phase, clock_.now(), {}};
  work.is_reboot = action.draft.kind == methods::kReboot;
  const bool comes_up = work.is_reboot && phase == execute::kComingUp;
  if (comes_up) work.limit = action.reboot.up;
  // Only a reboot takes long enough for its phases to be news; the heartbeat tells of the others.
  const bool news = style_.verbose || comes_up || (work.is_reboot && phase == execute::kRebooting);
  if (display_ == Display::lines) {
    std::string text = phase;
    if (comes_up) text += fmt::format(" (at most {})", format_duration(action.reboot.up));
    if (news) hold({clock_.now(), action.node.str(), {}, {}, std::move(text), Colour::none});
  } else {
    redraw();
  }
}

// The hook is asked again and again, and its answer is printed once; with --verbose each time.
void TextProgress::action_put_off(
    const plans::Action& action, const std::string& said, Duration /*waited*/) {
  running_.erase(action.id);
  std::string& told = put_off_[action.id];
  if (style_.verbose || told == said) return;
  told = said;
  const std::string node = action.node.str();
  hold(
      {clock_.now(),
       node,
       {},
       {},
       fmt::format("not yet: {}; {} is tried again later", said, node),
       Colour::none});
}

void TextProgress::action_ended(const plans::Action& action, const execute::ActionResult& result) {
  ++done_;
  running_.erase(action.id);
  const bool good = is_good(result.state);
  if (!good) ++failed_;
  // On a terminal the bar tells of success; what went wrong stays on the screen.
  if (display_ == Display::terminal && good && !style_.verbose) {
    redraw();
    return;
  }
  std::string what = action.draft.title;
  if (!result.detail.empty()) what += (what.empty() ? "" : ": ") + result.detail;
  std::string became{to_string(result.state)};
  std::replace(became.begin(), became.end(), '_', ' ');
  hold(
      {clock_.now(),
       action.node.str(),
       std::move(became),
       {},
       std::move(what),
       colour_of(result.state)});
}

void TextProgress::heartbeat(const std::vector<std::string>& running_actions) {
  tell_held();
  if (display_ == Display::terminal) {
    redraw();
    return;
  }
  Diagnostics events;
  std::vector<const Work*> works;
  using Doing = std::pair<std::string_view, std::string_view>;  // node, what
  std::map<Doing, std::size_t> known;
  for (const std::string& id : running_actions) {
    const auto work = running_.find(id);
    if (work == running_.end() || !is_told_again(work->second)) continue;
    work->second.told = clock_.now();
    // Two actions of a node that wait for the same are one line.
    const auto [same, fresh] =
        known.emplace(Doing{work->second.node, work->second.doing}, works.size());
    if (!fresh && !style_.verbose) {
      const Work*& other = works[same->second];
      if (work->second.since < other->since) other = &work->second;
      continue;
    }
    events.add({Severity::info, {}, {}, work->second.doing, {}, {}, Subject{work->second.node}});
    works.push_back(&work->second);
  }
  std::vector<Text> lines;
  for (const FindingGroup& group :
       style_.verbose ? single_findings(events) : group_findings(events)) {
    // The one that has been at it longest.
    const Work* longest = works[group.members.front()];
    for (const std::size_t member : group.members) {
      if (works[member]->since < longest->since) longest = works[member];
    }
    const SaidByAll said = said_by_all(group, events);
    lines.push_back(
        compose("{}  {}  still: {} ({})", elapsed(), said.who, said.what, time_of(*longest)));
  }
  show(lines);
}

void TextProgress::run_ended(const std::vector<execute::ActionResult>& /*results*/) {
  tell_held();
  erase();
  all_ = 0;
  running_.clear();
}

}  // namespace fabric::report
