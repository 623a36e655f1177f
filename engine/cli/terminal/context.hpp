// SPDX-License-Identifier: Apache-2.0
// Context: the input and output of a verb besides its own arguments.
#pragma once

#include <memory>
#include <string_view>

#include "engine/base/clock.hpp"
#include "engine/cli/terminal/options.hpp"
#include "engine/cli/terminal/output.hpp"
#include "engine/log/activity_log.hpp"
#include "engine/report/run/progress_json.hpp"

namespace fabric::cli {

class Context {
 public:
  // `clock` must outlive this.
  Context(GlobalOptions options, const Clock& clock);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() = default;

  const GlobalOptions& options() const { return options_; }
  const Clock& clock() const { return clock_; }
  bool json() const { return options_.json; }

  // Prints a verb's result; with --json the verb emits events instead. A string is taken as a
  // document of several lines (JSON, a schema), and made printable.
  void result(const report::Text& text) const;
  void result(std::string_view document) const { result(report::Text::document(document)); }
  void result(const std::string& document) const { result(std::string_view{document}); }
  void result(const char* document) const { result(std::string_view{document}); }
  // Prints one line of information; silent with -q, an event `log` with --json.
  void note(std::string_view text) const;
  // Prints the command to run next; only on a terminal, and silent with -q.
  void hint(std::string_view line) const;
  // Prints an error, in one line; also with --quiet.
  void error(std::string_view text) const;

  const report::JsonEvents& events() const { return events_; }
  // Shows and logs the events of a workflow.
  workflow::Listener& listener() { return *listener_; }
  report::Style output_style() const { return style_for(Stream::standard_output, options_); }
  report::Style error_style() const { return style_for(Stream::standard_error, options_); }

  // The command line that runs `verb_and_arguments` in the same place and against the same nodes.
  std::string command(std::string_view verb_and_arguments) const;
  // As above with a path of the command line at its end; "." is left out.
  std::string command(std::string_view verb_and_arguments, const std::string& path) const;

  // Opens the log of --log and -vv. Fails with ErrorCode::denied if its file can't be written.
  Result<void> open_log();
  // Null: there is none.
  log::ActivityLog* log() const { return log_.get(); }

  // Adds a field to the event run_summary.
  void summarize(std::string_view key, Value value) {
    summary_.insert_or_assign(std::string{key}, std::move(value));
  }
  const Map& summary() const { return summary_; }

 private:
  friend class ContextListener;

  GlobalOptions options_;
  const Clock& clock_;
  report::JsonEvents events_;
  std::unique_ptr<report::RunReporter> reporter_;
  std::unique_ptr<log::ActivityLog> log_;
  std::unique_ptr<workflow::Listener> listener_;
  Map summary_;
};

}  // namespace fabric::cli
