// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/text.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "engine/base/printable.hpp"
#include "engine/base/secrets/redaction.hpp"
#include "engine/base/text.hpp"
#include "engine/report/diagnostics/grouping.hpp"
#include "engine/value/json.hpp"

namespace fabric::report {

namespace {

Colour colour_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return Colour::red;
    case Severity::warning:
      return Colour::yellow;
    case Severity::info:
      return Colour::cyan;
  }
  return Colour::none;
}

// The indentation of the further lines of a long message.
constexpr std::size_t kContinuation = 2;

// One source line with the marked part, both counted in columns.
struct Excerpt {
  Text text;
  std::size_t mark_begin = 0;
  std::size_t mark_length = 1;
};

// The bytes before the character of this number.
std::string_view first_characters(std::string_view line, std::size_t number) {
  std::size_t at = 0;
  for (; at < line.size() && number > 0; --number)
    at += first_character(line.substr(at)).length;
  return line.substr(0, at);
}

// A line, or of one that is much longer than any terminal the part around a place.
struct Window {
  std::string_view text;
  std::size_t skipped = 0;  // characters of the line before it
  bool cut_off = false;     // there are more behind it
};

Window window_around(const SourceMap& sources, SourceRange range, std::uint32_t line_number) {
  constexpr std::size_t kLookedAt = 4096;  // bytes on either side
  const std::string_view line = sources.line(range.file, line_number);
  if (line.size() <= 2 * kLookedAt) return {line, 0, false};
  const auto line_begin = static_cast<std::size_t>(line.data() - sources.text(range.file).data());
  const std::size_t at = std::min(range.begin - line_begin, line.size());
  std::size_t from = at - std::min(at, kLookedAt);
  while (from < at && (static_cast<unsigned char>(line[from]) & 0xC0U) == 0x80U)
    ++from;
  const Position first =
      sources.position(range.file, static_cast<std::uint32_t>(line_begin + from));
  const std::string_view part = line.substr(from, 2 * kLookedAt);
  return {part, first.column - 1, from + part.size() < line.size()};
}

// Long lines are cut around the marked part.
Excerpt excerpt(const SourceMap& sources, SourceRange range, std::size_t width) {
  const Position begin = sources.position(range.file, range.begin);
  const Position end = sources.position(range.file, range.end);
  const Window window = window_around(sources, range, begin.line);
  // A password in the document is not for a terminal or a log of CI.
  std::string safe = without_secrets(window.text);
  while (safe.ends_with('\n'))
    safe.pop_back();
  // A reference to a password's source is no password.
  const bool is_source = window.text.find("{env:") != std::string_view::npos ||
                         window.text.find("{command:") != std::string_view::npos;
  const bool hides = !is_source && safe != window.text;
  const Text line = hides ? Text{safe} : Text{window.text};
  const std::size_t length = columns(line);
  // Escaped characters take more columns than one.
  std::string_view before = first_characters(window.text, begin.column - 1 - window.skipped);
  if (hides) {
    // Behind the first secret nothing stands where it stood.
    const auto apart =
        std::mismatch(safe.begin(), safe.end(), window.text.begin(), window.text.end());
    before = before.substr(0, static_cast<std::size_t>(apart.first - safe.begin()));
  }
  const std::size_t mark = columns(before);
  // A range over several lines is marked to the end of its first line.
  const std::size_t mark_end =
      hides ? mark + 1
      : end.line == begin.line
          ? columns(first_characters(window.text, end.column - 1 - window.skipped))
          : length;
  const std::size_t marked = std::max<std::size_t>(1, mark_end > mark ? mark_end - mark : 1);
  if (length <= width) return {line, mark, marked};

  constexpr std::string_view kGap = "...";
  const std::size_t room = width - 2 * kGap.size();
  const std::size_t shown = std::min(marked, room);
  const std::size_t first = std::min(mark - std::min(mark, (room - shown) / 2), length - room);
  Excerpt cut;
  if (first > 0 || window.skipped > 0) cut.text = kGap;
  cut.mark_begin = mark - first + columns(cut.text);
  cut.mark_length = std::min(shown, first + room - mark);
  cut.text += cut_out(line, first, first + room);
  if (first + room < length || window.cut_off) cut.text += kGap;
  return cut;
}

// The mark of a place: its colour, its character and the text beside it.
struct Mark {
  Colour colour = Colour::none;
  char character = '^';
  Text label;
};

class Writer {
 public:
  Writer(const SourceMap& sources, const Style& style) : sources_{sources}, style_{style} {}

  Text write(const FindingGroup& group, const Diagnostics& findings) {
    const Diagnostic& diagnostic = findings.items()[group.members.front()];
    text_ = {};
    line_.clear();
    margin_ = margin_of(diagnostic);
    headline(diagnostic);
    const Colour colour = colour_of(diagnostic.severity);
    if (is_known(diagnostic.range)) {
      arrow("-->", diagnostic.range, "");
      if (sources_.has_text(diagnostic.range.file)) {
        text_ += compose("{} {}\n", Text::blanks(margin_), bar());
        marked_line(diagnostic.range, {colour, '^', ""});
      }
    }
    // One other place is shown; of several is said where the first are: a finding is a few lines.
    constexpr std::size_t kMost = 3;
    const std::size_t places = static_cast<std::size_t>(
        std::count_if(diagnostic.related.begin(), diagnostic.related.end(), [](const Note& note) {
          return is_known(note.range);
        }));
    std::size_t seen = 0;
    for (const Note& note : diagnostic.related) {
      if (!is_known(note.range)) {
        footer("note: ", note.message);
      } else if (++seen > kMost && !style_.verbose) {
        continue;
      } else if ((places > 1 && !style_.verbose) || !sources_.has_text(note.range.file)) {
        arrow(":::", note.range, note.message);
      } else {
        // The number of the line says where it is in the file that was named last.
        if (note.range.file != diagnostic.range.file) {
          arrow(":::", note.range, "");
          line_.clear();
        }
        marked_line(note.range, {Colour::cyan, '-', note.message});
      }
    }
    if (!diagnostic.help.empty()) footer("help: ", diagnostic.help);
    std::vector<std::string> more{others_text(group, findings), consequences_text(group)};
    if (places > kMost && !style_.verbose) more.push_back(count(places - kMost, "more place"));
    std::erase(more, "");
    if (!more.empty()) footer("", join(more, "; ") + "; --verbose shows each");
    return text_;
  }

 private:
  // The width of the largest line number, so that all bars of one finding are in one column.
  std::size_t margin_of(const Diagnostic& diagnostic) const {
    std::uint32_t largest = 0;
    const auto see = [&](SourceRange range) {
      if (is_known(range)) {
        largest = std::max(largest, sources_.position(range.file, range.begin).line);
      }
    };
    see(diagnostic.range);
    for (const Note& note : diagnostic.related)
      see(note.range);
    return std::to_string(largest).size();
  }

  void headline(const Diagnostic& diagnostic) {
    const Text head = compose("{}[{}]", to_string(diagnostic.severity), diagnostic.rule);
    const Text message =
        wrap(compose("{}: {}", head, diagnostic.message), style_.width, kContinuation);
    text_ += paint(style_, colour_of(diagnostic.severity), cut_out(message, 0, columns(head))) +
             paint(style_, Colour::bold, cut_out(message, columns(head), message.str().size())) +
             "\n";
  }

  Text bar() const { return paint(style_, Colour::dim, "|"); }

  void arrow(std::string_view form, SourceRange range, const Text& label) {
    const Position at = sources_.position(range.file, range.begin);
    const Text place = compose("{}:{}:{}", sources_.path(range.file), at.line, at.column);
    const Text lead = compose("{}{} ", Text::blanks(margin_), paint(style_, Colour::dim, form));
    text_ += lead + (label.empty() ? place : told(compose("{}: {}", place, label), columns(lead))) +
             "\n";
  }

  void marked_line(SourceRange range, const Mark& mark) {
    const Position at = sources_.position(range.file, range.begin);
    const std::size_t room = style_.width - std::min(style_.width - 20, margin_ + 3);
    const Excerpt shown = excerpt(sources_, range, room);
    const Text number = pad(std::to_string(at.line), margin_);
    // A label that does not fit on the line goes below.
    const bool beside = shown.mark_begin + shown.mark_length + 1 + columns(mark.label) <= room;
    Text underline = Text::repeated(shown.mark_length, mark.character);
    if (beside && !mark.label.empty()) underline += " " + mark.label;
    // Two marks in one line stand below it.
    const Text line = compose("{} {} {}\n", paint(style_, Colour::dim, number), bar(), shown.text);
    if (line.str() != line_) text_ += line;
    line_ = line.str();
    text_ += compose(
        "{} {} {}{}\n",
        Text::blanks(margin_),
        bar(),
        Text::blanks(shown.mark_begin),
        paint(style_, mark.colour, underline));
    if (!beside && !mark.label.empty()) footer("note: ", mark.label);
  }

  void footer(const Text& word, const Text& message) {
    const Text lead = compose("{} = {}", Text::blanks(margin_), word);
    text_ += lead + told(message, columns(lead)) + "\n";
  }

  // A message behind `indent` columns; wrap() drops leading blanks, so they are put before it.
  Text told(const Text& message, std::size_t indent) const {
    constexpr std::size_t kNarrowest = 20;
    return hang(message, std::max(style_.width, indent + kNarrowest), indent);
  }

  const SourceMap& sources_;
  const Style& style_;
  std::size_t margin_ = 1;
  Text text_;
  std::string line_;  // the last one shown, with its number
};

}  // namespace

Text diagnostics_text(
    const Diagnostics& diagnostics, const SourceMap& sources, const Style& style) {
  Writer writer{sources, style};
  Text text;
  for (const FindingGroup& group :
       style.verbose ? single_findings(diagnostics) : group_findings(diagnostics))
    text += writer.write(group, diagnostics) + "\n";
  return text;
}

std::string diagnostics_summary(const Diagnostics& diagnostics) {
  std::map<Severity, std::size_t> found;
  std::size_t following = 0;  // one mistake is one error
  for (const FindingGroup& group : group_findings(diagnostics)) {
    for (const std::size_t member : group.members)
      ++found[diagnostics.items()[member].severity];
    following += group.consequences.size();
  }
  std::vector<std::string> parts;
  for (const auto& [severity, number] : found)
    // Informations are no faults and have no plural.
    parts.push_back(
        severity == Severity::info ? fmt::format("{} for information", number)
                                   : count(number, to_string(severity)));
  const std::string text = parts.empty() ? "no findings" : join(parts, ", ");
  return following == 0
             ? text
             : fmt::format("{}, and {} that follow{}", text, following, following == 1 ? "s" : "");
}

namespace {

Map place_members(const SourceMap& sources, SourceRange range) {
  const Place place = place_of(sources, range);
  Map members{{"file", Value{}}, {"line", Value{}}, {"column", Value{}}};
  if (place.known) {
    members["file"] = place.path;
    members["line"] = place.begin.line;
    members["column"] = place.begin.column;
  }
  return members;
}

}  // namespace

Value diagnostic_value(const Diagnostic& diagnostic, const SourceMap& sources) {
  Map members = place_members(sources, diagnostic.range);
  members["rule"] = diagnostic.rule;
  members["severity"] = to_string(diagnostic.severity);
  members["message"] = diagnostic.message;
  members["help"] = diagnostic.help;
  List related;
  for (const Note& note : diagnostic.related) {
    Map other = place_members(sources, note.range);
    other["message"] = note.message;
    related.emplace_back(std::move(other));
  }
  members["related"] = std::move(related);
  return members;
}

std::string diagnostics_json(const Diagnostics& diagnostics, const SourceMap& sources) {
  List items;
  for (const Diagnostic& item : diagnostics.items()) {
    items.push_back(diagnostic_value(item, sources));
  }
  return to_json_pretty(Map{{"diagnostics", std::move(items)}});
}

}  // namespace fabric::report
