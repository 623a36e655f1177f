// SPDX-License-Identifier: Apache-2.0
// Context: what a verb is given besides its own arguments.
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

  // A verb's result; with --json the verb emits events instead. A string is taken for a document of
  // several lines (JSON, a schema), which is shown without what could command a terminal.
  void result(const report::Text& text) const;
  void result(std::string_view document) const { result(report::Text::document(document)); }
  void result(const std::string& document) const { result(std::string_view{document}); }
  void result(const char* document) const { result(std::string_view{document}); }
  // Something worth knowing on the way, one line; silent with -q, an event `log` with --json.
  void note(std::string_view text) const;
  // The command that most people run next, for a person who looks at it: on a terminal alone, and
  // silent with -q.
  void hint(std::string_view line) const;
  // An error, in one line; --quiet does not hide it.
  void error(std::string_view text) const;

  const report::JsonEvents& events() const { return events_; }
  // Hears of a workflow: shows it, and logs it.
  workflow::Listener& listener() { return *listener_; }
  report::Style output_style() const { return style_for(Stream::standard_output, options_); }
  report::Style error_style() const { return style_for(Stream::standard_error, options_); }

  // The command line that runs `verb_and_arguments` in the same place and against the same nodes.
  std::string command(std::string_view verb_and_arguments) const;
  // The same with a path of the command line behind it; "." is left out.
  std::string command(std::string_view verb_and_arguments, const std::string& path) const;

  // Begins the log that --log and -vv ask for. Fails with ErrorCode::denied if its file can't be
  // written.
  Result<void> open_log();
  // Null: there is none.
  log::ActivityLog* log() const { return log_.get(); }

  // Becomes a field of the event run_summary.
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
