// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/mlnxos/json_lines.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"

namespace fabric::platform {

namespace {

using remote::Reply;

constexpr std::string_view kAsJson = "| json-print";
constexpr std::string_view kLines = "Lines";
constexpr std::string_view kHeader = "header";  // before 3.6.6000
constexpr std::string_view kGood = "OK";
// Of what says that a session has ended.
constexpr std::size_t kShortAnswer = 4096;

// What one answer says must not become a second line.
std::string on_one_line(std::string_view text) {
  std::string line{text};
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

// NOLINTBEGIN(misc-no-recursion): as deep as parse_json lets an answer be.
void write(std::string& text, const Value& value, std::size_t indent);

void write_member(
    std::string& text, const std::string& key, const Value& value, std::size_t indent) {
  text.append(indent, ' ');
  text += on_one_line(key) + ":";
  if (value.as_list() == nullptr && value.as_map() == nullptr) {
    text += value.is_null() ? "\n" : " " + on_one_line(to_text(value)) + "\n";
    return;
  }
  text += '\n';
  write(text, value, indent + 2);
}

void write_map(std::string& text, const Map& map, std::size_t indent) {
  const auto header = map.find(kHeader);
  const std::string* name = header == map.end() ? nullptr : header->second.as_string();
  if (name != nullptr) {
    text.append(indent, ' ');
    text += on_one_line(*name) + ":\n";
    indent += 2;
  }
  for (const auto& [key, value] : map) {
    if (name != nullptr && key == kHeader) continue;
    if (key == kLines && value.as_list() != nullptr) {
      write(text, value, indent);
    } else {
      write_member(text, key, value, indent);
    }
  }
}

void write(std::string& text, const Value& value, std::size_t indent) {
  if (const Map* map = value.as_map()) return write_map(text, *map, indent);
  if (const List* list = value.as_list()) {
    for (const Value& each : *list)
      write(text, each, indent);
    return;
  }
  if (value.is_null()) return;
  // Text as it was printed, of several lines.
  const std::string printed = to_text(value);
  text += printed;
  if (!printed.ends_with('\n')) text += '\n';
}
// NOLINTEND(misc-no-recursion)

// Without a name of its own nobody can ask for the switch by name; what needs that is answered as
// by a release that does not know the line.
bool needs_name(const remote::step::Converse& talk, std::string_view line) {
  return !talk.dialect.own_name.empty() &&
         line.find(talk.dialect.own_name) != std::string_view::npos;
}

std::string_view without_json_print(std::string_view line) {
  line = trim(line);
  if (line.ends_with(kAsJson)) line.remove_suffix(kAsJson.size());
  return trim(line);
}

std::string message_of(const Value& answer) {
  const std::string said = answer.string_or_empty("status_message");
  const std::string text = said.empty() ? answer.string_or_empty("status_msg") : said;
  return std::string{trim(text)};
}

// "% ..." as at the prompt, whatever the release puts before it.
Reply refused(std::string_view message) {
  std::string text{trim(message)};
  if (text.empty()) text = "the switch refused the line and does not say why";
  return {text.starts_with('%') ? text + "\n" : "% " + text + "\n", 0, true};
}

Result<Reply> reply_of(const Value& answer, std::string_view line, std::size_t number) {
  if (answer.as_map() == nullptr)
    return Error{ErrorCode::invalid, fmt::format("answer {} is no object", number)};
  const std::string executed = answer.string_or_empty("executed_command");
  const std::string asked{without_json_print(line)};
  if (!executed.empty() && split_words(executed) != split_words(asked)) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "answer {} is of '{}', and '{}' was asked", number, on_one_line(executed), asked)};
  }
  const std::string status = answer.string_or_empty("status");
  if (status.empty())
    return Error{ErrorCode::invalid, fmt::format("answer {} has no status", number)};
  if (status != kGood) return refused(message_of(answer));
  const Value* data = answer.find("data");
  if (data == nullptr) return Reply{};
  return Reply{
      trim(line).ends_with(kAsJson) ? to_json(*data) + "\n" : text_of_data(*data), 0, false};
}

class JsonLines final : public remote::LinesByRequest {
 public:
  remote::RequestLogin login() const override {
    remote::RequestLogin login;
    login.path = "/admin/launch?script=rh&template=json-request&action=json-login";
    login.logout_path = "/admin/launch?script=rh&template=json-request&action=json-logout";
    return login;
  }

  // A wrong password is answered with 200 (E-onyx-https).
  std::string refusal_of_login(const Reply& answer) const override {
    const Result<Value> said = parse_json(answer.text, DuplicateKeys::last_wins);
    if (!said || said->as_map() == nullptr) return "its answer is no JSON object";
    if (said->string_or_empty("status") == kGood) return {};
    const std::string why = on_one_line(message_of(*said));
    return why.empty() ? "refused" : why;
  }

  bool wants_login(const Reply& answer) const override {
    if (answer.text.size() > kShortAnswer) return false;
    const Result<Value> said = parse_json(answer.text, DuplicateKeys::last_wins);
    return said && said->string_or_empty("status") == "ERROR" &&
           to_lower(message_of(*said)).find("authentication failure") != std::string::npos;
  }

  remote::step::Request request(const remote::step::Converse& talk) const override {
    List commands;
    for (const std::string& line : talk.lines) {
      if (!needs_name(talk, line)) commands.emplace_back(without_json_print(line));
    }
    remote::step::Request request;
    request.method = "POST";
    request.path = "/admin/launch?script=json";
    request.headers = {{"Content-Type", "application/json"}};
    request.body = to_json(Map{{"commands", std::move(commands)}});
    request.timeout = talk.timeout;
    request.fresh_session = talk.fresh_session;
    request.reads_only = talk.reads_only;
    return request;
  }

  Result<std::vector<Reply>> replies(
      const remote::step::Converse& talk, std::string_view body) const override {
    Result<Value> parsed = parse_json(body, DuplicateKeys::last_wins);
    if (!parsed)
      return Error{ErrorCode::invalid, "its answer is no JSON: " + parsed.error().message};
    const Value* results = parsed->find("results");
    // Of one command it may stand alone.
    const List alone{*parsed};
    if (results != nullptr && results->as_list() == nullptr)
      return Error{ErrorCode::invalid, "its answer has no list of results"};
    const List& answers = results == nullptr ? alone : *results->as_list();
    std::vector<Reply> replies;
    std::size_t next = 0;
    for (const std::string& line : talk.lines) {
      if (needs_name(talk, line)) {
        replies.push_back(refused("nothing tells the name of the switch over HTTPS"));
        continue;
      }
      if (next == answers.size()) break;
      replies.push_back(FABRIC_TRY(reply_of(answers[next], line, next + 1)));
      ++next;
    }
    if (replies.size() == talk.lines.size() && next == answers.size()) return replies;
    return Error{
        ErrorCode::invalid,
        fmt::format("{} answers to {} lines", answers.size(), talk.lines.size())};
  }
};

}  // namespace

std::string text_of_data(const Value& data) {
  std::string text;
  write(text, data, 0);
  return text;
}

const remote::LinesByRequest& mlnxos_json_lines() {
  static const JsonLines lines;
  return lines;
}

}  // namespace fabric::platform
