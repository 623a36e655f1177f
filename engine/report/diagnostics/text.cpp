#include "engine/report/diagnostics/text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/report/diagnostics/place.hpp"
#include "engine/report/folding/findings.hpp"

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

// Further places of a folded finding that are named; the others are counted.
constexpr std::size_t kPlacesNamed = 3;

// One source line with the marked part, both counted in characters.
struct Excerpt {
  std::string text;
  std::size_t mark_begin = 0;
  std::size_t mark_length = 1;
};

// The bytes of the characters [begin, end).
std::string_view characters(std::string_view text, std::size_t begin, std::size_t end) {
  const auto offset_of = [&](std::size_t number) {
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
      const bool starts = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
      if (starts && number-- == 0) break;
    }
    return at;
  };
  const std::size_t first = offset_of(begin);
  return text.substr(first, offset_of(end) - first);
}

// Long lines are cut around the marked part.
Excerpt excerpt(const SourceMap& sources, SourceRange range, std::size_t width) {
  const Position begin = sources.position(range.file, range.begin);
  const Position end = sources.position(range.file, range.end);
  const std::string line = printable(sources.line(range.file, begin.line));
  const std::size_t length = columns(line);
  const std::size_t mark = begin.column - 1;
  // What reaches over several lines is marked to the end of its first one.
  const std::size_t mark_end = end.line == begin.line ? end.column - 1 : length;
  const std::size_t marked = std::max<std::size_t>(1, mark_end > mark ? mark_end - mark : 1);
  if (length <= width) return {line, mark, marked};

  constexpr std::string_view kGap = "...";
  const std::size_t room = width - 2 * kGap.size();
  const std::size_t shown = std::min(marked, room);
  const std::size_t first = std::min(mark - std::min(mark, (room - shown) / 2), length - room);
  Excerpt cut;
  cut.text = first > 0 ? std::string{kGap} : std::string{};
  cut.mark_begin = mark - first + cut.text.size();
  cut.mark_length = std::min(shown, first + room - mark);
  cut.text += characters(line, first, first + room);
  if (first + room < length) cut.text += kGap;
  return cut;
}

// What a place looks like: colour and character of its mark, and what is said beside it.
struct Mark {
  Colour colour = Colour::none;
  char character = '^';
  std::string label;
};

class Writer {
 public:
  Writer(const SourceMap& sources, const Style& style) : sources_{sources}, style_{style} {}

  std::string write(const FoldedFinding& finding) {
    const Diagnostic& diagnostic = finding.shown;
    text_.clear();
    margin_ = margin_of(diagnostic);
    headline(diagnostic);
    const Colour colour = colour_of(diagnostic.severity);
    if (is_known(diagnostic.range)) place("-->", diagnostic.range, {colour, '^', ""});
    for (const Note& note : diagnostic.related) {
      if (is_known(note.range)) {
        place(":::", note.range, {Colour::cyan, '-', printable(note.message)});
      } else {
        footer("note", note.message);
      }
    }
    if (!diagnostic.help.empty()) footer("help", diagnostic.help);
    if (finding.members.size() > 1)
      footer(fmt::format("{} findings", finding.members.size()), others(finding));
    if (!finding.consequences.empty()) {
      const std::size_t follow = finding.consequences.size();
      footer(
          follow == 1 ? "consequence" : "consequences",
          fmt::format(
              "{} from this one; --verbose shows each",
              follow == 1 ? "1 finding follows" : fmt::format("{} findings follow", follow)));
    }
    return text_;
  }

 private:
  // Room for the largest line number, so that all bars of one finding stand in one column.
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

  // "also at ring.yaml:7, ring.yaml:9 and 277 more places"
  std::string others(const FoldedFinding& finding) const {
    const std::size_t named = std::min(finding.more_places.size(), kPlacesNamed);
    std::vector<std::string> places;
    for (std::size_t i = 0; i < named; ++i) {
      const SourceRange& place = finding.more_places[i];
      const Position at = sources_.position(place.file, place.begin);
      places.push_back(fmt::format("{}:{}:{}", sources_.path(place.file), at.line, at.column));
    }
    std::string text = is_known(finding.shown.range) ? "all at this place" : "of no line";
    if (!places.empty()) text = "also at " + join(places, ", ");
    const std::size_t more = finding.more_places.size() - named;
    if (more > 0) text += fmt::format(" and {}", count(more, "more place"));
    return text + "; --verbose shows each";
  }

  void headline(const Diagnostic& diagnostic) {
    const std::string head = fmt::format("{}[{}]", to_string(diagnostic.severity), diagnostic.rule);
    const std::string message = wrap(head + ": " + printable(diagnostic.message), style_.width, 2);
    const std::size_t cut = std::min(head.size(), message.size());
    text_ += paint(style_, colour_of(diagnostic.severity), message.substr(0, cut)) +
             paint(style_, Colour::bold, message.substr(cut)) + '\n';
  }

  void place(std::string_view arrow, SourceRange range, const Mark& mark) {
    const Position at = sources_.position(range.file, range.begin);
    const std::string blank(margin_, ' ');
    const std::string bar = paint(style_, Colour::dim, "|");
    const std::size_t room = style_.width - std::min(style_.width - 20, margin_ + 3);
    const Excerpt shown = excerpt(sources_, range, room);
    const std::string number = pad(std::to_string(at.line), margin_);
    // A label that the line has no room for goes below.
    const bool beside = shown.mark_begin + shown.mark_length + 1 + columns(mark.label) <= room;
    std::string underline(shown.mark_length, mark.character);
    if (beside && !mark.label.empty()) underline += " " + mark.label;
    text_ += fmt::format(
        "{}{} {}:{}:{}\n",
        blank,
        paint(style_, Colour::dim, arrow),
        printable(sources_.path(range.file)),
        at.line,
        at.column);
    if (!sources_.has_text(range.file)) {
      if (!mark.label.empty()) footer("note", mark.label);
      return;
    }
    text_ += fmt::format("{} {}\n", blank, bar);
    text_ += fmt::format("{} {} {}\n", paint(style_, Colour::dim, number), bar, shown.text);
    text_ += fmt::format(
        "{} {} {}{}\n",
        blank,
        bar,
        std::string(shown.mark_begin, ' '),
        paint(style_, mark.colour, underline));
    if (!beside && !mark.label.empty()) footer("note", mark.label);
  }

  void footer(std::string_view word, std::string_view message) {
    const std::string lead = fmt::format("{} = {}: ", std::string(margin_, ' '), word);
    // wrap() drops leading blanks, so they are put before what it returns.
    const std::size_t indent = lead.size();
    text_ += lead;
    text_ += hanging(printable(message), indent) + '\n';
  }

  std::string hanging(std::string_view message, std::size_t indent) const {
    const std::size_t room = style_.width > indent + 20 ? style_.width - indent : 20;
    std::string lines = wrap(message, room, 0);
    std::string text;
    for (const char c : lines) {
      text += c;
      if (c == '\n') text.append(indent, ' ');
    }
    return text;
  }

  const SourceMap& sources_;
  const Style& style_;
  std::size_t margin_ = 1;
  std::string text_;
};

}  // namespace

std::string diagnostics_text(
    const Diagnostics& diagnostics, const SourceMap& sources, const Style& style) {
  Writer writer{sources, style};
  std::string text;
  for (const FoldedFinding& finding :
       style.verbose ? single_findings(diagnostics) : fold_findings(diagnostics))
    text += writer.write(finding) + '\n';
  return text;
}

std::string diagnostics_summary(const Diagnostics& diagnostics) {
  std::vector<std::string> parts;
  for (const Severity severity : {Severity::error, Severity::warning}) {
    const std::size_t found = diagnostics.count(severity);
    if (found > 0) parts.push_back(count(found, to_string(severity)));
  }
  // Informations are no faults and have no plural.
  const std::size_t informations = diagnostics.count(Severity::info);
  if (informations > 0) parts.push_back(fmt::format("{} for information", informations));
  return parts.empty() ? "no findings" : join(parts, ", ");
}

}  // namespace fabric::report
