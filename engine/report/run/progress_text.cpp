#include "engine/report/run/progress_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/report/plan/action_words.hpp"

namespace fabric::report {

namespace {

constexpr std::size_t kBarColumns = 24;
// Nodes at work that the live display lists; more would scroll a small terminal.
constexpr std::size_t kWorkLines = 8;
// A redraw more often than this only flickers.
constexpr Duration kRedrawEvery{200};

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

std::string TextProgress::bar(std::size_t done, std::size_t all) const {
  const std::size_t full = all == 0 ? 0 : done * kBarColumns / all;
  return '[' + std::string(full, '#') + std::string(kBarColumns - full, '.') + ']';
}

std::string TextProgress::shorten(std::string text) const {
  if (columns(text) < style_.width) return text;
  // Cut between characters: continuation bytes belong to the one before.
  std::size_t end = 0;
  for (std::size_t used = 0; end < text.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
    if (starts && ++used + 3 >= style_.width) break;
  }
  return text.substr(0, end) + "...";
}

void TextProgress::erase() {
  if (drawn_lines_ == 0) return;
  std::string back = "\r";
  for (std::size_t i = 1; i < drawn_lines_; ++i)
    back += "\x1b[A";
  sink_(back + "\x1b[J");
  drawn_lines_ = 0;
}

void TextProgress::line(const std::string& text) {
  erase();
  sink_(text + '\n');
  redraw();
}

void TextProgress::redraw() {
  if (display_ != Display::terminal || all_ == 0) return;
  erase();
  std::string text =
      fmt::format("{} {} {}/{}  {}", what_, bar(done_, all_), done_, all_, elapsed());
  if (failed_ != 0) text += fmt::format("  {} failed", failed_);
  text = shorten(std::move(text));
  std::size_t lines = 1;
  for (const auto& [id, work] : running_) {
    if (lines > kWorkLines) {
      text += fmt::format("\n  and {} more", running_.size() - kWorkLines);
      ++lines;
      break;
    }
    text += '\n' + shorten(fmt::format("  {}  {}  {}", work.node, work.doing, time_of(work)));
    ++lines;
  }
  sink_(text);
  drawn_lines_ = lines;
  drawn_ = clock_.now();
}

std::string TextProgress::time_of(const Work& work) const {
  const Duration since = clock_.now() - work.since;
  if (!work.wait) return format_duration(since);
  return format_duration(std::max(*work.wait - since, Duration{0})) + " left";
}

// Stays on the screen: nothing goes on until somebody has read it.
void TextProgress::ask(const plans::Action& action) {
  const ActionDraft& draft = action.draft;
  Work& work = running_[action.id];
  work = {action.node.str(), "waiting for a person: " + draft.by_hand, clock_.now(), {}};
  work.wait = wait_of(action);
  if (!asked_.insert(draft.by_hand).second) return redraw();
  line(paint(
      style_,
      Colour::bold,
      fmt::format(
          "{}  BY HAND: {} now; waiting {}",
          elapsed(),
          draft.by_hand,
          format_duration(wait_of(action)))));
}

void TextProgress::tick() {
  if (clock_.now() - drawn_ >= kRedrawEvery) redraw();
}

void TextProgress::discover_started(std::size_t nodes) {
  started_ = clock_.now();
  what_ = "reading";
  all_ = nodes;
  done_ = failed_ = 0;
  if (display_ == Display::lines) {
    line(fmt::format("reading {}", count(nodes, "node")));
  } else {
    redraw();
  }
}

void TextProgress::discover_node(const NodeFacts& facts) {
  ++done_;
  if (!facts.reachable()) {
    ++failed_;
    line(paint(
        style_,
        Colour::red,
        fmt::format("{} was not reached: {}", facts.node.str(), facts.failure->message)));
  } else {
    tick();
  }
}

void TextProgress::discover_waiting(const std::vector<NodeName>& nodes) {
  if (nodes.empty()) return;
  line(shorten(fmt::format("{}  still waiting for {}", elapsed(), fold(nodes))));
}

void TextProgress::discover_ended() {
  const std::size_t reached = done_ - std::min(done_, failed_);
  erase();
  const std::size_t all = all_;
  all_ = 0;
  line(fmt::format("read {} of {} in {}", reached, count(all, "node"), elapsed()));
}

void TextProgress::run_started(const plans::Plan& plan, const std::string& run) {
  started_ = clock_.now();
  what_ = "applying";
  all_ = plan.actions.size();
  done_ = failed_ = 0;
  running_.clear();
  asked_.clear();
  line(fmt::format("run {}: {}", run, count(all_, "action")));
}

void TextProgress::wave_started(const plans::Wave& wave) {
  if (wave.number == 0) return;
  line(shorten(fmt::format("{}  wave {}: {}", elapsed(), wave.number, fold(wave.nodes))));
}

void TextProgress::action_started(const plans::Action& action) {
  running_[action.id] = {action.node.str(), action.draft.title, clock_.now(), {}};
  if (display_ == Display::terminal) tick();
}

void TextProgress::action_phase(const plans::Action& action, const std::string& phase) {
  if (!action.draft.by_hand.empty() && phase == action.draft.by_hand) return ask(action);
  Work& work = running_[action.id];
  work = {action.node.str(), phase, clock_.now(), {}};
  // Only a reboot takes long enough for its phases to be news; the heartbeat tells of the others.
  const bool news = action.draft.kind == methods::kReboot || style_.verbose;
  if (display_ == Display::lines) {
    if (news) line(fmt::format("{}  {}  {}", elapsed(), action.node.str(), phase));
  } else {
    redraw();
  }
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
  std::string text = fmt::format(
      "{}  {}  {}  {}",
      elapsed(),
      action.node.str(),
      paint(style_, colour_of(result.state), to_string(result.state)),
      action.draft.title);
  if (!result.detail.empty()) text += ": " + result.detail;
  line(text);
}

void TextProgress::heartbeat(const std::vector<std::string>& running_actions) {
  if (display_ == Display::terminal) {
    redraw();
    return;
  }
  for (const std::string& id : running_actions) {
    const auto work = running_.find(id);
    if (work == running_.end()) continue;
    line(fmt::format(
        "{}  {}  still: {} ({})",
        elapsed(),
        work->second.node,
        work->second.doing,
        time_of(work->second)));
  }
}

void TextProgress::run_ended(const std::vector<execute::ActionResult>& /*results*/) {
  erase();
  all_ = 0;
  running_.clear();
}

}  // namespace fabric::report
