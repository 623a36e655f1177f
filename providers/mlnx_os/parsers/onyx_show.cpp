// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/parsers/onyx_show.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"
#include "engine/value/lists.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

// The "key : value" lines of Onyx. Part of onyx_show.hpp.

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// The colon between key and value has a blank behind it or ends the line: "4:42:27 ago" and
// "::1" have none.
std::optional<KeyValue> keyed(std::string_view line) {
  for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1)) {
    if (at == 0 || (at + 1 < line.size() && line[at + 1] != ' ' && line[at + 1] != '\t')) continue;
    return KeyValue{trim(line.substr(0, at)), trim(line.substr(at + 1))};
  }
  return std::nullopt;
}

// "576    packets" to "packets", "576"
std::optional<KeyValue> counter(std::string_view line) {
  const std::size_t end = line.find_first_of(" \t");
  if (end == std::string_view::npos || !parse_integer(line.substr(0, end))) return std::nullopt;
  return KeyValue{trim(line.substr(end)), line.substr(0, end)};
}

class OnyxShowReader {
 public:
  explicit OnyxShowReader(std::span<const std::string> lines) : lines_{lines} {}

  Result<std::vector<OnyxSection>> read() {
    for (index_ = 0; index_ < lines_.size(); ++index_) {
      const std::string_view text = trim(lines_[index_]);
      if (!text.empty()) FABRIC_TRY(read_line(text, indent_of(lines_[index_])));
    }
    if (!has_value_) return error_at(1, "no 'key : value'");
    return std::move(sections_);
  }

 private:
  struct Heading {
    std::string text;
    std::size_t indent;
  };

  std::size_t number() const { return index_ + 1; }

  Result<std::monostate> read_line(std::string_view text, std::size_t indent) {
    if (text.find_first_not_of("-=") == std::string_view::npos)
      return error_at(number(), "a table: its columns can't be told apart, use '| json-print'");
    while (!headings_.empty() && headings_.back().indent >= indent)
      close_heading();
    const auto entry = keyed(text);
    if (entry && entry->value.empty() && deeper_follows(indent)) {
      headings_.push_back({std::string{entry->key}, indent});
      changed_ = true;
      return std::monostate{};
    }
    if (entry) return add(entry->key, entry->value);
    if (const auto count = counter(text)) return add(count->key, count->value);
    if (headings_.empty())
      return error_at(number(), fmt::format("expected 'key : value', found '{}'", text));
    return add({}, text);
  }

  void close_heading() {
    headings_.pop_back();
    changed_ = true;
  }

  // The next line that has text is indented deeper.
  bool deeper_follows(std::size_t indent) const {
    for (std::size_t next = index_ + 1; next < lines_.size(); ++next) {
      if (!trim(lines_[next]).empty()) return indent_of(lines_[next]) > indent;
    }
    return false;
  }

  Result<std::monostate> add(std::string_view key, std::string_view value) {
    if (changed_ || sections_.empty()) {
      OnyxSection& section = sections_.emplace_back();
      section.line = number();
      for (const Heading& heading : headings_)
        section.headings.push_back(heading.text);
      changed_ = false;
    }
    OnyxEntry entry{std::string{key}, std::string{value}, number()};
    if (value == "N/A" || value == "N\\A") entry.value = std::nullopt;
    has_value_ = has_value_ || (!key.empty() && !value.empty());
    sections_.back().entries.push_back(std::move(entry));
    return std::monostate{};
  }

  std::span<const std::string> lines_;
  std::size_t index_ = 0;
  std::vector<OnyxSection> sections_;
  std::vector<Heading> headings_;  // open headings
  bool changed_ = true;            // since the last entry
  bool has_value_ = false;
};

// Fails with ErrorCode::invalid, "line N: ...", if no line has a key and a value.
Result<std::vector<OnyxSection>> read_onyx_sections(std::span<const std::string> lines) {
  return OnyxShowReader{lines}.read();
}

using Lines = std::vector<std::string>;

// Without escape sequences ("\x1b[...m", "\x1b="), carriage returns and backspaces.
std::string plain(std::string_view line) {
  std::string kept;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '\r' || c == '\b' || c == '\a') continue;
    if (c != '\x1b') {
      kept += c;
      continue;
    }
    ++at;
    if (at >= line.size() || line[at] != '[') continue;
    // Up to the letter that ends the sequence.
    do
      ++at;
    while (at < line.size() && (line[at] < '@' || line[at] > '~'));
  }
  return kept;
}

// "switch-1 [standalone: master] (config) # show ib sm", "switch (config) # "
bool is_prompt(std::string_view line) {
  constexpr std::array<std::string_view, 4> kRoles{
      ": master] ", ": standby] ", ": slave] ", " (config"};
  return std::any_of(kRoles.begin(), kRoles.end(), [line](std::string_view role) {
    const std::size_t at = line.find(role);
    if (at == std::string_view::npos) return false;
    const std::string_view after = line.substr(at);
    return after.find(" # ") != std::string_view::npos ||
           after.find(" > ") != std::string_view::npos || after.ends_with('#') ||
           after.ends_with('>');
  });
}

// "lines 183-204", "lines 256-269/269 (END)"
bool is_pager(std::string_view line) {
  if (line.starts_with("--More--")) return true;
  constexpr std::string_view kLines = "lines ";
  if (!line.starts_with(kLines)) return false;
  const std::string_view range = line.substr(kLines.size());
  const std::size_t dash = range.find('-');
  return dash != std::string_view::npos && parse_integer(range.substr(0, dash)).has_value();
}

// Lines that no form has.
Result<std::monostate> check(const Lines& lines) {
  for (std::size_t index = 0; index < lines.size(); ++index) {
    const std::string_view line = trim(lines[index]);
    if (line.starts_with('%'))
      return error_at(index + 1, fmt::format("the switch refused: {}", trim(line.substr(1))));
    if (is_prompt(line))
      return error_at(index + 1, fmt::format("a prompt, not the output of a command: '{}'", line));
    if (is_pager(line)) return error_at(index + 1, "the output was paged, it may have holes");
  }
  return std::monostate{};
}

bool is_empty(const std::string& line) {
  return trim(line).empty();
}

// "[standalone: master]" is no JSON either.
bool begins_json(std::string_view line) {
  return line.starts_with('{') ||
         (line.starts_with('[') &&
          (line.size() == 1 || line.find_first_of("{]\"", 1) != std::string_view::npos));
}

// All scalars of Onyx are text.
// NOLINTBEGIN(misc-no-recursion,readability-use-anyofallof): as deep as parse_json lets a document
// be; an algorithm of the library would be part of the recursion.
bool has_only_text(const Value& value) {
  if (const Map* map = value.as_map()) {
    for (const auto& [key, entry] : *map)
      if (!has_only_text(entry)) return false;
    return true;
  }
  if (const List* list = value.as_list()) {
    for (const Value& entry : *list)
      if (!has_only_text(entry)) return false;
    return true;
  }
  return value.as_string() != nullptr;
}
// NOLINTEND(misc-no-recursion,readability-use-anyofallof)

// From `first` to the last line that closes it; the lines around it are banners. Lines before it
// stay, empty, so that a refusal names the right one.
Result<Value> read_json(const Lines& lines, std::size_t first) {
  const char close = trim(lines[first]).front() == '{' ? '}' : ']';
  std::size_t last = lines.size();
  while (last > first + 1 && !trim(lines[last - 1]).ends_with(close))
    --last;
  std::string text(first, '\n');
  for (std::size_t index = first; index < last; ++index)
    text += lines[index] + '\n';
  Value value = FABRIC_TRY(parse_json(text, DuplicateKeys::last_wins));
  if (!has_only_text(value))
    return error_at(first + 1, "a number or constant: Onyx prints text only");
  return value;
}

// `## Running database "initial"`; nullopt for other lines.
std::optional<std::string> database_name(std::string_view line) {
  if (!line.starts_with("## ") || line.find(" database \"") == std::string_view::npos ||
      !line.ends_with('"'))
    return std::nullopt;
  line.remove_suffix(1);
  return std::string{line.substr(line.rfind('"') + 1)};
}

std::vector<OnyxCommand> commands_of(const Lines& lines) {
  std::vector<OnyxCommand> commands;
  for (std::size_t index = 0; index < lines.size(); ++index) {
    const std::string_view line = trim(lines[index]);
    if (!line.empty() && line.front() != '#') commands.push_back({std::string{line}, index + 1});
  }
  return commands;
}

// The form of `show ib sm` and the like.
bool is_answer(std::string_view text) {
  constexpr std::array<std::string_view, 8> kAnswers = {
      "enable", "enabled", "disable", "disabled", "active", "not active", "yes", "no"};
  return std::find(kAnswers.begin(), kAnswers.end(), text) != kAnswers.end();
}

// The first two lines that are not empty may name a database.
std::optional<std::string> database_of(const Lines& lines, std::size_t first) {
  for (std::size_t index = first; index < std::min(first + 2, lines.size()); ++index) {
    if (auto name = database_name(trim(lines[index]))) return name;
  }
  return std::nullopt;
}

}  // namespace

std::string_view form_name(OnyxForm form) {
  switch (form) {
    case OnyxForm::json:
      return "json";
    case OnyxForm::configuration:
      return "configuration";
    case OnyxForm::answer:
      return "answer";
    case OnyxForm::sections:
      break;
  }
  return "sections";
}

Result<OnyxShow> parse_onyx_show(std::string_view text) {
  Lines lines;
  for (const std::string_view line : split_lines(text))
    lines.push_back(plain(line));
  FABRIC_TRY(check(lines));
  const auto first = std::find_if_not(lines.begin(), lines.end(), is_empty);
  if (first == lines.end()) return error_at(lines.size(), "nothing was printed");
  const auto index = static_cast<std::size_t>(first - lines.begin());
  OnyxShow show;
  if (const auto database = database_of(lines, index)) {
    show.form = OnyxForm::configuration;
    show.database = *database;
    show.commands = commands_of(lines);
    return show;
  }
  if (std::all_of(first + 1, lines.end(), is_empty) && is_answer(to_lower(trim(*first)))) {
    show.form = OnyxForm::answer;
    show.answer = to_lower(trim(*first));
    return show;
  }
  const auto json = std::find_if(
      first, lines.end(), [](const std::string& line) { return begins_json(trim(line)); });
  if (json != lines.end()) {
    show.form = OnyxForm::json;
    show.json = FABRIC_TRY(read_json(lines, static_cast<std::size_t>(json - lines.begin())));
    return show;
  }
  show.sections = FABRIC_TRY(read_onyx_sections(lines));
  return show;
}

Value to_value(const OnyxShow& show) {
  Map map{{"form", form_name(show.form)}};
  if (show.form == OnyxForm::json) map.emplace("json", show.json);
  if (show.form == OnyxForm::answer) map.emplace("answer", show.answer);
  if (show.form == OnyxForm::configuration) {
    List commands;
    for (const OnyxCommand& command : show.commands)
      commands.emplace_back(
          Map{{"text", command.text}, {"line", static_cast<std::int64_t>(command.line)}});
    map.emplace("database", show.database);
    map.emplace("commands", std::move(commands));
  }
  if (show.form != OnyxForm::sections) return map;
  List sections;
  for (const OnyxSection& section : show.sections) {
    List entries;
    for (const OnyxEntry& entry : section.entries) {
      Map value{
          {"value", entry.value ? Value{*entry.value} : Value{}},
          {"line", static_cast<std::int64_t>(entry.line)}};
      if (!entry.key.empty()) value.emplace("key", entry.key);
      entries.emplace_back(std::move(value));
    }
    sections.emplace_back(
        Map{{"headings", to_list(section.headings)},
            {"entries", std::move(entries)},
            {"line", static_cast<std::int64_t>(section.line)}});
  }
  map.emplace("sections", std::move(sections));
  return map;
}

namespace {

constexpr std::string_view kPort = "Eth";

// The value of the first key that has one; "Not Advertised" is none (E-onyx-lldp).
std::string said(const Value& entry, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const Value* value = entry.find(key);
    const std::string* text = value == nullptr ? nullptr : value->as_string();
    if (text != nullptr && !text->empty() && *text != "Not Advertised") return *text;
  }
  return {};
}

void add_entries(
    const std::string& key, const Value& entries, std::vector<OnyxNeighbour>& neighbours) {
  if (!key.starts_with(kPort) || entries.as_list() == nullptr) return;
  const std::size_t end = key.find(' ');
  const std::string port =
      key.substr(kPort.size(), end == std::string::npos ? end : end - kPort.size());
  for (const Value& entry : *entries.as_list()) {
    OnyxNeighbour neighbour{
        port,
        said(entry, {"Device ID", "Remote chassis id"}),
        said(entry, {"Port ID", "Remote port-id"}),
        said(entry, {"System Name", "Remote system name"})};
    const bool heard = !neighbour.chassis_id.empty() || !neighbour.port_id.empty() ||
                       !neighbour.system_name.empty();
    if (heard) neighbours.push_back(std::move(neighbour));
  }
}

// The content of one object: ports, "data" of the interface, or "Lines" where no neighbour is
// heard.
void add_map(const Value& value, std::vector<OnyxNeighbour>& neighbours) {
  if (value.as_map() == nullptr) return;
  for (const auto& [key, each] : *value.as_map())
    add_entries(key, each, neighbours);
}

}  // namespace

Result<std::vector<OnyxNeighbour>> parse_onyx_lldp(std::string_view text) {
  const OnyxShow show = FABRIC_TRY(parse_onyx_show(text));
  if (show.form != OnyxForm::json) return error_at(1, "no JSON");
  std::vector<OnyxNeighbour> neighbours;
  const Value* data = show.json.find("data");
  const Value& top = data == nullptr ? show.json : *data;
  if (top.as_list() != nullptr) {
    for (const Value& each : *top.as_list())
      add_map(each, neighbours);
    return neighbours;
  }
  if (top.as_map() == nullptr) return error_at(1, "no object of ports");
  add_map(top, neighbours);
  return neighbours;
}

Value to_value(const std::vector<OnyxNeighbour>& neighbours) {
  List list;
  for (const OnyxNeighbour& each : neighbours) {
    Map map{{"port", each.local_port}};
    if (!each.chassis_id.empty()) map.emplace("chassis_id", each.chassis_id);
    if (!each.port_id.empty()) map.emplace("port_id", each.port_id);
    if (!each.system_name.empty()) map.emplace("system_name", each.system_name);
    list.emplace_back(std::move(map));
  }
  return list;
}

namespace {

// "switch-priority 3"
std::optional<std::int64_t> priority_in(std::string_view key) {
  const std::vector<std::string_view> words = split_words(key);
  if (words.size() != 2 || words[0] != "switch-priority") return std::nullopt;
  const auto priority = parse_unsigned(words[1], 10);
  if (!priority || *priority > 7) return std::nullopt;
  return static_cast<std::int64_t>(*priority);
}

}  // namespace

Result<OnyxRoce> parse_onyx_roce(std::string_view text) {
  OnyxRoce roce;
  std::size_t number = 0;
  bool told = false;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (trim(line).starts_with('%'))
      return error_at(number, fmt::format("the switch says: {}", trim(line)));
    const auto entry = key_value(line);
    if (!entry) continue;
    if (entry->key == "RoCE mode") {
      told = true;
      roce.mode = entry->value == "N/A" ? "" : std::string{entry->value};
    } else if (entry->key == "Port trust mode") {
      roce.trust = entry->value;
    } else if (entry->key == "Mode") {
      roce.congestion_mode = to_lower(entry->value);
    } else if (const auto priority = priority_in(entry->key)) {
      if (entry->value.starts_with("enabled")) roce.pfc.push_back(*priority);
    }
  }
  if (!told) return error_at(number, "'RoCE mode' is missing");
  std::sort(roce.pfc.begin(), roce.pfc.end());
  return roce;
}

Value to_value(const OnyxRoce& roce) {
  Map map{{"mode", roce.mode.empty() ? "off" : roce.mode}};
  if (!roce.trust.empty()) map.emplace("trust", roce.trust);
  if (!roce.congestion_mode.empty()) map.emplace("congestion_mode", roce.congestion_mode);
  map.emplace("pfc", to_list(roce.pfc));
  return map;
}

}  // namespace fabric::providers
