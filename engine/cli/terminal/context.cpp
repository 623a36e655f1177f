// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/terminal/context.hpp"

#include <fmt/format.h>

#include "engine/cli/terminal/context_listener.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/run/progress_text.hpp"
#include "engine/report/terminal/text.hpp"

namespace fabric::cli {

namespace {

report::Sink sink_to(Stream stream) {
  return [stream](const report::Text& text) {
    write(stream, text);
  };
}

std::unique_ptr<report::RunReporter> reporter_for(
    const GlobalOptions& options, const Clock& clock, const report::JsonEvents& events) {
  if (options.json) return std::make_unique<report::JsonProgress>(events);
  if (options.quiet) return std::make_unique<report::RunReporter>();
  // Lines of the log would be drawn over.
  const bool redraws = is_terminal(Stream::standard_error) && !options.log_shown;
  const report::Display display = redraws ? report::Display::terminal : report::Display::lines;
  return std::make_unique<report::TextProgress>(
      sink_to(Stream::standard_error), clock, style_for(Stream::standard_error, options), display);
}

}  // namespace

Context::Context(GlobalOptions options, const Clock& clock)
    : options_{std::move(options)},
      clock_{clock},
      events_{sink_to(Stream::standard_output), clock},
      reporter_{reporter_for(options_, clock, events_)},
      listener_{std::make_unique<ContextListener>(*this)} {}

Result<void> Context::open_log() {
  if (options_.log.empty() && !options_.log_shown) return {};
  log::ActivityLog::Line shown;
  if (options_.log_shown) {
    shown = [](std::string_view line) {
      write(Stream::standard_error, report::Text::document(line));
    };
  }
  log_ = FABRIC_TRY(log::ActivityLog::open(options_.log, std::move(shown), clock_));
  return {};
}

void Context::result(const report::Text& text) const {
  if (!options_.json) write(Stream::standard_output, text);
}

void Context::note(std::string_view text) const {
  if (options_.json) {
    events_.emit("info", "log", text);
  } else if (!options_.quiet) {
    write(Stream::standard_error, report::compose("{}\n", text));
  }
}

void Context::hint(std::string_view line) const {
  const bool is_read = is_terminal(Stream::standard_output) && is_terminal(Stream::standard_error);
  if (options_.json || options_.quiet || !is_read) return;
  write(
      Stream::standard_error,
      report::compose("{} {}\n", paint(error_style(), report::Colour::bold, "Next:"), line));
}

std::string Context::command(std::string_view verb_and_arguments, const std::string& path) const {
  const std::string facts =
      options_.facts.empty() ? "" : "--facts " + remote::quote(options_.facts) + " ";
  return command(fmt::format(
      "{}{}{}", facts, verb_and_arguments, path == "." ? "" : " " + remote::quote(path)));
}

std::string Context::command(std::string_view verb_and_arguments) const {
  std::string line = "fabric";
  if (!options_.directory.empty()) line += " --chdir " + remote::quote(options_.directory);
  if (options_.lab) line += " --lab";
  if (options_.trust_document) line += " --trust-document";
  for (const std::string& set : options_.ask_password)
    line += " --ask-password " + remote::quote(set);
  if (!options_.credentials.empty())
    line += " --credentials " + remote::quote(options_.credentials);
  return fmt::format("{} {}", line, verb_and_arguments);
}

void Context::error(std::string_view text) const {
  if (options_.json) {
    events_.emit("error", "log", text);
  } else {
    write(
        Stream::standard_error,
        report::compose("{}: {}\n", paint(error_style(), report::Colour::red, "fabric"), text));
  }
}

}  // namespace fabric::cli
