// SPDX-License-Identifier: Apache-2.0
#include "engine/base/diagnostic.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fabric {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::info:
      return "info";
  }
  return "error";
}

Subject::Subject(std::string given, std::string of_node)
    : name{std::move(given)}, part{std::move(of_node)} {}

Subject::Subject(const NodeName& node, std::string of_node)
    : name{node.str()}, part{std::move(of_node)} {}

Subject Subject::parse(std::string_view text) {
  const std::size_t end = std::min(text.find('/'), text.size());
  return {
      std::string{text.substr(0, end)}, std::string{text.substr(std::min(end + 1, text.size()))}};
}

std::string Subject::str() const {
  return part.empty() ? name : name + "/" + part;
}

Diagnostic& Diagnostic::with_help(std::string text) {
  help = std::move(text);
  return *this;
}

Diagnostic& Diagnostic::with_note(SourceRange place, std::string text) {
  related.push_back({place, std::move(text)});
  return *this;
}

Diagnostic& Diagnostic::about(Subject what) {
  subject = std::move(what);
  return *this;
}

Diagnostic& Diagnostic::with_key(std::string word) {
  key = std::move(word);
  return *this;
}

Diagnostic& Diagnostic::with_fault(Fault what) {
  fault = std::move(what);
  return *this;
}

Diagnostic& Diagnostic::because_of(SourceRange place) {
  cause = place;
  return *this;
}

bool Diagnostics::is_full(Severity severity) {
  const bool error = severity == Severity::error;
  if (items_.size() < most_ && (!error || errors_ < most_errors_)) {
    errors_ += error ? 1 : 0;
    return false;
  }
  ++dropped_;
  dropped_error_ = dropped_error_ || error;
  return true;
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (is_full(diagnostic.severity)) return;
  if (diagnostic.subject.name.empty()) diagnostic.subject = subject_;
  items_.push_back(std::move(diagnostic));
}

Diagnostic& Diagnostics::put(
    Severity severity, std::string_view rule, SourceRange range, std::string message) {
  if (is_full(severity)) return spare_ = Diagnostic{};
  return items_.emplace_back(
      Diagnostic{severity, std::string{rule}, range, std::move(message), {}, {}, subject_});
}

Diagnostic& Diagnostics::error(std::string_view rule, SourceRange range, std::string message) {
  return put(Severity::error, rule, range, std::move(message));
}

Diagnostic& Diagnostics::warning(std::string_view rule, SourceRange range, std::string message) {
  return put(Severity::warning, rule, range, std::move(message));
}

Diagnostic& Diagnostics::info(std::string_view rule, SourceRange range, std::string message) {
  return put(Severity::info, rule, range, std::move(message));
}

void Diagnostics::append(const Diagnostics& other) {
  for (const Diagnostic& item : other.items_)
    add(item);
  count_dropped(other);
}

void Diagnostics::append(Diagnostics&& other) {
  count_dropped(other);
  for (Diagnostic& item : other.take_items())
    add(std::move(item));
}

void Diagnostics::count_dropped(const Diagnostics& other) {
  dropped_ += other.dropped_;
  dropped_error_ = dropped_error_ || other.dropped_error_;
}

std::vector<Diagnostic> Diagnostics::take_items() {
  errors_ = 0;
  return std::exchange(items_, {});
}

const Diagnostic* Diagnostics::first_error() const {
  const auto found = std::ranges::find_if(
      items_, [](const Diagnostic& each) { return each.severity == Severity::error; });
  return found == items_.end() ? nullptr : &*found;
}

bool Diagnostics::has_errors() const {
  return dropped_error_ || count(Severity::error) > 0;
}

std::size_t Diagnostics::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      items_, [&](const Diagnostic& item) { return item.severity == severity; }));
}

void Diagnostics::sort() {
  const auto key = [](const Diagnostic& item) {
    return std::tie(item.range, item.rule, item.message);
  };
  std::ranges::stable_sort(
      items_, [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
  const auto same = [&](const Diagnostic& a, const Diagnostic& b) {
    return key(a) == key(b);
  };
  items_.erase(std::unique(items_.begin(), items_.end(), same), items_.end());
  errors_ = count(Severity::error);
}

About::About(Diagnostics& findings, Subject subject)
    : findings_{findings}, outer_{std::exchange(findings.subject_, std::move(subject))} {}

About::~About() {
  findings_.subject_ = std::move(outer_);
}

}  // namespace fabric
