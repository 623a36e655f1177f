// SPDX-License-Identifier: Apache-2.0
// Progress for people: on a terminal a bar, the nodes at work and the time, redrawn in place;
// otherwise one line per event, with the time since the start. Equal events of many nodes at nearly
// the same time are one line with their node set; with Style::verbose each has a line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/report/run/progress.hpp"
#include "engine/report/terminal/style.hpp"

namespace fabric::report {

enum class Display : std::uint8_t { lines, terminal };

class TextProgress final : public RunReporter {
 public:
  // `clock` must outlive this.
  TextProgress(Sink sink, const Clock& clock, Style style, Display display);

  void discover_started(std::size_t nodes) override;
  void discover_node(const NodeFacts& facts) override;
  void discover_waiting(const std::vector<NodeName>& nodes) override;
  void discover_ended() override;
  void tick() override;

  void run_started(const plans::Plan& plan, const std::string& run) override;
  void wave_started(const plans::Wave& wave) override;
  void action_started(const plans::Action& action) override;
  void action_phase(const plans::Action& action, const std::string& phase) override;
  void action_put_off(
      const plans::Action& action, const std::string& said, Duration waited) override;
  void action_ended(const plans::Action& action, const execute::ActionResult& result) override;
  void heartbeat(const std::vector<std::string>& running_actions) override;
  void run_ended(const std::vector<execute::ActionResult>& results) override;

 private:
  struct Work {
    std::string node;
    std::string doing;  // the action's title, or its phase
    TimePoint since;
    // For work by a person: how long fabric waits. `doing` is the work.
    std::optional<Duration> wait{};
    // For a reboot: its deadline.
    std::optional<Duration> limit{};
    bool is_reboot = false;
    std::optional<TimePoint> told{};  // by the heartbeat, last
  };

  // "12s"; for a wait "14m 48s left", for a reboot "12s of at most 15m".
  std::string time_of(const Work& work) const;
  bool is_told_again(const Work& work) const;
  void ask(const plans::Action& action);

  // An event of a node, held back until it is clear whether other nodes have the same.
  struct Held {
    TimePoint at;
    std::string node;
    std::string became;  // "done"; of an action
    std::string verb;    // "not reached": the node was; else what happened was an action's
    std::string what;
    Colour colour = Colour::none;
  };
  void hold(Held held);
  void tell_held();

  // Prints a line that stays, after the held events; the live display moves below it.
  void line(const Text& text);
  void show(const std::vector<Text>& lines);
  void redraw();
  void erase();
  std::string elapsed() const;
  Text bar(std::size_t done, std::size_t all) const;
  // Leaves the last column free, because some terminals begin a new line there.
  Text shortened(const Text& text) const;

  Sink sink_;
  const Clock& clock_;
  Style style_;
  Display display_;
  TimePoint started_;
  TimePoint drawn_;
  std::vector<Held> held_;
  TimePoint held_since_;
  std::size_t drawn_lines_ = 0;
  std::string what_;  // "discovering", "run 2026..."
  std::size_t all_ = 0;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  std::map<std::string, Work> running_;         // by action id
  std::set<std::string> asked_;                 // both ends of a cable wait for the same hand
  std::map<std::string, std::string> put_off_;  // by action id: the last text about the action
};

}  // namespace fabric::report
