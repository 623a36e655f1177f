// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/terminal/diagnostics.hpp"

#include "engine/report/diagnostics/text.hpp"

namespace fabric::cli {

namespace {

std::string_view level_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warn";
    case Severity::info:
      return "info";
  }
  return "error";
}

}  // namespace

void print(const Context& context, const SourceMap& sources, const Diagnostics& diagnostics) {
  if (diagnostics.empty()) return;
  if (!context.json()) {
    write(
        Stream::standard_error,
        report::diagnostics_text(diagnostics, sources, context.error_style()));
    return;
  }
  for (const Diagnostic& item : diagnostics.items()) {
    context.events().emit(
        level_of(item.severity),
        "diagnostic",
        item.message,
        {{"diagnostic", report::diagnostic_value(item, sources)}});
  }
}

void print_errors(
    const Context& context, const SourceMap& sources, const Diagnostics& diagnostics) {
  Diagnostics errors;
  for (const Diagnostic& item : diagnostics.items()) {
    if (item.severity == Severity::error) errors.add(item);
  }
  print(context, sources, errors);
}

void print_problems(
    const Context& context, const SourceMap& sources, const Diagnostics& diagnostics) {
  if (context.options().verbose) {
    print(context, sources, diagnostics);
    return;
  }
  Diagnostics problems;
  for (const Diagnostic& item : diagnostics.items()) {
    if (item.severity != Severity::info) problems.add(item);
  }
  print(context, sources, problems);
}

}  // namespace fabric::cli
