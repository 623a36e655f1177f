// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/session/operator_passwords.hpp"

#include <utility>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/state/named_file.hpp"
#include "engine/cli/terminal/secret_input.hpp"
#include "engine/model/node_set.hpp"
#include "engine/yaml/parse.hpp"

namespace fabric::cli {

namespace {

constexpr std::size_t kMostBytes = 1'048'576;

// Of one credentials file. Says the place of what is wrong and never quotes it: any line may be a
// password.
class Credentials {
 public:
  Credentials(const std::string& path, std::string text)
      : file_{sources_.add(path, std::move(text))} {}

  Result<OperatorPasswords> read() {
    Diagnostics problems;
    const yaml::Node root = yaml::parse(sources_, file_, problems);
    for (const Diagnostic& problem : problems.items()) {
      if (problem.severity == Severity::error)
        return wrong(problem.range, fmt::format("no YAML that can be used ({})", problem.rule));
    }
    if (!root.is_mapping())
      return wrong(root.range, "expected a mapping from node sets to their passwords");
    OperatorPasswords passwords;
    for (const yaml::Entry& entry : root.entries)
      FABRIC_TRY(read_entry(entry, passwords));
    return passwords;
  }

 private:
  Error wrong(SourceRange range, const std::string& what) const {
    const Position at = sources_.position(file_, is_known(range) ? range.begin : 0);
    return {
        ErrorCode::invalid,
        fmt::format("{}:{}:{}: {}", sources_.path(file_), at.line, at.column, what)};
  }

  Result<void> read_entry(const yaml::Entry& entry, OperatorPasswords& passwords) const {
    const Result<std::vector<std::string>> names = expand_name_list(entry.key);
    if (!names) return wrong(entry.key_range, "the key is no node set");
    const auto password =
        std::make_shared<const OperatorPassword>(FABRIC_TRY(read_password_of(entry)));
    for (const std::string& name : *names) {
      if (!passwords.emplace(name, password).second)
        return wrong(entry.key_range, "a node of this set has a password already");
    }
    if (passwords.size() > limits::kNodes)
      return wrong(entry.key_range, fmt::format("more than {} nodes", limits::kNodes));
    return {};
  }

  Result<OperatorPassword> read_password_of(const yaml::Entry& entry) const {
    const yaml::Node& value = entry.value;
    std::string host_key;
    const yaml::Entry* source = nullptr;
    std::size_t sources = 0;
    for (const yaml::Entry& each : value.entries) {
      if (each.key != "host_key") {
        source = &each;
        ++sources;
      } else if (!each.value.is_scalar() || each.value.text.empty()) {
        return wrong(each.key_range, "expected a fingerprint SHA256:... or a public key line");
      } else {
        host_key = each.value.text;
      }
    }
    if (!value.is_mapping() || sources != 1)
      return wrong(
          is_known(value.range) ? value.range : entry.key_range,
          "expected one of {password: TEXT}, {env: VARIABLE}, {command: [WORD, ...]}, and host_key "
          "beside it where known_hosts lacks the host");
    OperatorPassword password = FABRIC_TRY(read_source(*source));
    password.host_key = std::move(host_key);
    return password;
  }

  Result<OperatorPassword> read_source(const yaml::Entry& source) const {
    const bool is_command = source.key == "command";
    if (!is_command && source.key != "password" && source.key != "env")
      return wrong(source.key_range, "unknown key: expected password, env, command or host_key");
    if (is_command && source.value.is_sequence()) return read_words(source);
    if (!source.value.is_scalar() || source.value.text.empty())
      return wrong(source.key_range, "expected a text that is not empty");
    if (source.key == "password") return OperatorPassword{Secret{source.value.text}};
    PasswordSource read;
    if (is_command) {
      read.command = {"sh", "-c", source.value.text};
    } else {
      read.environment_variable = source.value.text;
    }
    return OperatorPassword{std::move(read)};
  }

  Result<OperatorPassword> read_words(const yaml::Entry& source) const {
    PasswordSource read;
    for (const yaml::Node& word : source.value.items) {
      if (!word.is_scalar()) return wrong(source.key_range, "expected a list of texts");
      read.command.push_back(word.text);
    }
    if (read.command.empty() || read.command.front().empty())
      return wrong(source.key_range, "expected a program and its arguments");
    return OperatorPassword{std::move(read)};
  }

  SourceMap sources_;
  FileId file_;
};

Result<std::vector<std::string>> nodes_of_set(const FabricSpec& spec, const std::string& set) {
  Result<std::vector<std::string>> names = expand_name_list(set);
  if (!names) return with_context(names.error(), "--ask-password");
  std::vector<std::string> known;
  for (const auto& [name, node] : spec.nodes)
    known.push_back(name.str());
  for (const std::string& name : *names) {
    if (spec.find_node(name) != nullptr) continue;
    const std::string meant = nearest(name, known);
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "--ask-password: the document has no node '{}'{}",
            name,
            meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant))};
  }
  return names;
}

}  // namespace

Result<OperatorPasswords> parse_credentials(const std::string& path, std::string text) {
  return Credentials{path, std::move(text)}.read();
}

Result<OperatorPasswords> credentials_of(
    const Context& context, const workflow::Document& document) {
  const std::string& path = context.options().credentials;
  if (path.empty()) return OperatorPasswords{};
  const OperatorFile expected{"--credentials", 077, false, false, {working_tree(document.folder)}};
  return parse_credentials(path, FABRIC_TRY(read_operator_file(path, expected, kMostBytes)));
}

Result<void> ask_passwords(
    const Context& context,
    const FabricSpec& spec,
    const std::function<report::Text(const NodeSpec&)>& host,
    OperatorPasswords& given) {
  const std::vector<std::string>& sets = context.options().ask_password;
  if (sets.empty()) return {};
  if (context.options().no_input)
    return Error{ErrorCode::invalid, "--ask-password asks, and --no-input forbids that"};
  std::vector<std::pair<std::string, std::vector<std::string>>> asked;
  for (const std::string& set : sets)
    asked.emplace_back(set, FABRIC_TRY(nodes_of_set(spec, set)));
  for (const auto& [set, names] : asked) {
    report::Text question;
    for (const std::string& name : names)
      question += report::compose("{}\n", host(*spec.find_node(name)));
    question += report::compose("SSH password of {}: ", set);
    const Secret password = FABRIC_TRY(ask_secret(question));
    for (const std::string& name : names) {
      std::shared_ptr<const OperatorPassword>& of_node = given[name];
      of_node = std::make_shared<const OperatorPassword>(
          OperatorPassword{password, of_node ? of_node->host_key : std::string{}, true});
    }
  }
  return {};
}

}  // namespace fabric::cli
