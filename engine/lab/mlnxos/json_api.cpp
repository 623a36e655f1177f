// SPDX-License-Identifier: Apache-2.0
// JSON over HTTPS of a switch with Onyx (E-onyx-https): the lines of the configuration mode, each
// with an answer of its own.
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/mlnxos/prompt.hpp"
#include "engine/value/json.hpp"

namespace fabric::lab {

namespace {

using mlnxos::Words;

constexpr const char* kLogin = "/admin/launch?script=rh&template=json-request&action=json-login";
constexpr const char* kLogout = "/admin/launch?script=rh&template=json-request&action=json-logout";
constexpr const char* kCommands = "/admin/launch?script=json";

std::size_t indent_of(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at == std::string_view::npos ? line.size() : at;
}

// "0    packets", "Admin state : Enabled"
void add_entry(Map& map, std::string_view line) {
  const std::string_view text = trim(line);
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    map[std::string{trim(text.substr(0, colon))}] = trim(text.substr(colon + 1));
    return;
  }
  const std::size_t blank = text.find(' ');
  if (blank != std::string_view::npos)
    map[std::string{trim(text.substr(blank))}] = text.substr(0, blank);
}

// What stands below a line that ends with a colon is a list of one object under that name.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the switch indents, which is twice
Map object_of(const std::vector<std::string_view>& lines, std::size_t& at, std::size_t indent) {
  Map map;
  while (at < lines.size()) {
    const std::string_view line = lines[at];
    if (!trim(line).empty() && indent_of(line) < indent) break;
    ++at;
    if (trim(line).empty()) continue;
    const bool is_heading =
        trim(line).ends_with(':') && at < lines.size() && indent_of(lines[at]) > indent_of(line);
    if (!is_heading) {
      add_entry(map, line);
      continue;
    }
    std::string name{trim(line)};
    name.pop_back();
    Map below = object_of(lines, at, indent_of(lines[at]));
    map[std::move(name)] = List{std::move(below)};
  }
  return map;
}

// Text of plain commands, an object of those that the switch takes apart.
Value data_of(const std::string& line, const std::string& text) {
  const bool is_taken_apart =
      line == "show version" || line == "show mlag" || line == "show interfaces ethernet";
  if (!is_taken_apart) return text;
  const std::vector<std::string_view> lines = split_lines(std::string_view{text});
  std::size_t at = 0;
  return object_of(lines, at, 0);
}

Map refusal(const std::string& line, std::string_view message) {
  if (message.starts_with("% ")) message.remove_prefix(2);
  return {
      {"status", "ERROR"},
      {"executed_command", line},
      {"status_message", trim(message)},
      {"data", ""}};
}

Map success(const std::string& line, Value data) {
  return {
      {"status", "OK"},
      {"executed_command", line},
      {"status_message", ""},
      {"data", std::move(data)}};
}

Map execute(MlnxosMachine& machine, const Network& network, const std::string& line) {
  Words words;
  for (const std::string_view word : split_words(std::string_view{line}))
    words.emplace_back(word);
  if (words.empty()) return refusal(line, "no command found");
  if (words[0] == "show") {
    bool known = false;
    if (line == "show lldp remote") {
      const std::string text = mlnxos::show(
          machine, network, {"show", "lldp", "remote", "|", "json-print"}, true, known);
      const Result<Value> data = parse_json(text);
      if (known && data) return success(line, *data);
    }
    const std::string text = mlnxos::show(machine, network, words, true, known);
    if (known) return success(line, data_of(line, text));
    return refusal(line, mlnxos::unrecognized(words.size() > 1 ? words[1] : words[0]));
  }
  // It is in that mode already.
  if (line == "configure terminal" || line == "enable")
    return refusal(line, mlnxos::unrecognized(words[0]));
  if (line == "configuration write" || line == "write memory") {
    machine.saved = machine.running;
    ++machine.changed;
    return success(line, "");
  }
  if (line == "reload noconfirm") {
    machine.order_reboot(network);
    return success(line, "");
  }
  const std::string said = mlnxos::configure(machine, words);
  return said.empty() ? success(line, "") : refusal(line, said);
}

remote::Reply in_json(int status, Map map) {
  return {to_json(std::move(map)), status, false};
}

}  // namespace

std::optional<WebLogin> MlnxosMachine::web_login() const {
  WebLogin login;
  login.login_path = kLogin;
  login.logout_path = kLogout;
  login.user_key = "username";
  login.password_key = "password";
  login.cookie = "session";
  login.welcome = in_json(200, {{"status", "OK"}, {"status_msg", "Successfully logged-in"}});
  login.refusal =
      in_json(200, {{"status", "ERROR"}, {"status_msg", "Invalid username or password"}});
  login.goodbye = in_json(200, {{"status", "OK"}, {"status_msg", "Successfully logged-out"}});
  login.no_session =
      in_json(401, {{"status", "ERROR"}, {"status_message", "Authentication failure"}});
  return login;
}

std::optional<remote::Reply> MlnxosMachine::request(
    const Network& network, std::string_view /*user*/, const remote::step::Request& request) {
  if (request.path != kCommands) return remote::Reply{"", 404, false};
  const Result<Value> body = parse_json(request.body);
  const Value* many = body ? body->find("commands") : nullptr;
  if (many == nullptr || many->as_list() == nullptr)
    return in_json(200, execute(*this, network, body ? body->string_or_empty("cmd") : ""));
  List results;
  for (const Value& each : *many->as_list()) {
    const std::string* line = each.as_string();
    if (stopped()) break;
    results.emplace_back(execute(*this, network, line == nullptr ? "" : *line));
  }
  return in_json(200, {{"results", std::move(results)}});
}

}  // namespace fabric::lab
