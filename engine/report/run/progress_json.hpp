// SPDX-License-Identifier: Apache-2.0
// Events for programs: one JSON object a line (NDJSON), keys "@level", "@message", "@module",
// "@timestamp" and "type" on each. A reader that does not know a type shows its "@message".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/clock.hpp"
#include "engine/execute/journal/estimate.hpp"
#include "engine/report/run/progress.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::report {

class JsonEvents {
 public:
  // Both arguments must outlive this.
  JsonEvents(Sink sink, const Clock& clock) : sink_{std::move(sink)}, clock_{clock} {}
  // `level` is "info", "warn" or "error".
  void emit(
      std::string_view level,
      std::string_view type,
      std::string_view message,
      Map fields = {}) const;

 private:
  Sink sink_;
  const Clock& clock_;
};

// Emits `planned_change` for each change, then `change_summary` and `impact_summary`.
void emit_plan(
    const JsonEvents& events,
    const plans::Plan& plan,
    const std::optional<execute::Estimate>& time = std::nullopt);
// Emits `verify_result` for each cable, path and finding.
void emit_verify(const JsonEvents& events, const verify::Report& report, const SourceMap& sources);

class JsonProgress final : public RunReporter {
 public:
  explicit JsonProgress(const JsonEvents& events) : events_{events} {}

  void discover_started(std::size_t nodes) override;
  void discover_node(const NodeFacts& facts) override;
  void discover_waiting(const std::vector<NodeName>& nodes) override;
  void run_started(const plans::Plan& plan, const std::string& run) override;
  void wave_started(const plans::Wave& wave) override;
  void action_started(const plans::Action& action) override;
  void action_phase(const plans::Action& action, const std::string& phase) override;
  void action_ended(const plans::Action& action, const execute::ActionResult& result) override;
  void heartbeat(const std::vector<std::string>& running_actions) override;

 private:
  const JsonEvents& events_;
};

}  // namespace fabric::report
