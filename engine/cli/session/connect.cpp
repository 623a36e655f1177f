// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/session/connect.hpp"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include "engine/base/limits.hpp"
#include "engine/base/result.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/session/password.hpp"
#include "engine/cli/state/folders.hpp"
#include "engine/cli/state/named_file.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/terminal/output.hpp"
#include "engine/labserver/lab_service.hpp"
#include "engine/model/node_set.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/remote/observed_runner.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/terminal/text.hpp"
#include "engine/ssh/runner.hpp"
#include "engine/workflow/trust.hpp"
#include "engine/yaml/parse.hpp"

namespace fabric::cli {
namespace {

constexpr std::size_t kLongest = 4096;
constexpr char kInterrupt = 3;  // Ctrl-C
constexpr char kEndOfInput = 4;

// Shows nothing and makes no signals: a signal would leave the terminal as it is now.
class Silence {
 public:
  Silence() {
    has_terminal_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    if (!has_terminal_) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ISIG | ICANON);
    silent.c_iflag |= ICRNL;
    silent.c_cc[VMIN] = 1;
    silent.c_cc[VTIME] = 0;
    has_terminal_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
  }
  ~Silence() {
    if (has_terminal_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

  bool has_terminal() const { return has_terminal_; }
  // The characters by which the user's terminal erases a character and the line.
  bool is_erase(char c) const { return static_cast<cc_t>(c) == before_.c_cc[VERASE] || c == '\b'; }
  bool is_kill(char c) const { return static_cast<cc_t>(c) == before_.c_cc[VKILL]; }

 private:
  termios before_{};
  bool has_terminal_ = false;
};

Result<Secret> read_line(const Silence& silence) {
  std::string line;
  line.reserve(kLongest);  // it never moves, so nothing of it is left behind
  const auto cancelled = [&] {
    const Secret wiped{std::move(line)};
    return Error{ErrorCode::cancelled, "no password was given"};
  };
  while (true) {
    char c = 0;
    const ssize_t got = read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || c == kInterrupt || c == kEndOfInput) return cancelled();
    if (c == '\n') return Secret{std::move(line)};
    if (silence.is_kill(c)) {
      line.clear();
    } else if (silence.is_erase(c)) {
      if (!line.empty()) line.pop_back();
    } else if (line.size() < kLongest) {
      line.push_back(c);
    }
  }
}

// Asks on standard error and reads a line from the terminal at standard input without echo. Fails
// with ErrorCode::invalid if standard input is no terminal, cancelled if Ctrl-C is typed or the
// input ends.
Result<Secret> ask_secret(const report::Text& question) {
  const Silence silence;
  if (!silence.has_terminal()) {
    return Error{ErrorCode::invalid, "a password needs a terminal or --credentials FILE"};
  }
  write(Stream::standard_error, question);
  Result<Secret> answer = read_line(silence);
  write(Stream::standard_error, "\n");
  return answer;
}

constexpr std::size_t kMostBytes = 1'048'576;

// Parses one credentials file. Its errors name a place and never quote the file: any line may be a
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
        return wrong(problem.range, fmt::format("the file is not usable YAML ({})", problem.rule));
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
    if (!names) return wrong(entry.key_range, "the key is not a node set");
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

// A chain of `via` longer than this goes in a circle.
constexpr int kMostJumps = 16;

std::string expand_home(const std::string& path) {
  if (!path.starts_with("~/")) return path;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read before any thread starts.
  const char* home = std::getenv("HOME");
  return home == nullptr ? path : home + path.substr(1);
}

std::string host_of(const NodeSpec& node) {
  return node.address.value.empty() ? node.name.str() : node.address.value;
}

// "[user@]host[:port]", an IPv6 address in brackets where a port follows.
std::string jump_text(const NodeSpec& node) {
  std::string host = host_of(node);
  const std::uint32_t port = node.ssh->port.value;
  if (port != 0 && host.find(':') != std::string::npos) host = '[' + host + ']';
  std::string text = node.ssh->user.value.empty() ? host : node.ssh->user.value + '@' + host;
  if (port != 0) text += ':' + std::to_string(port);
  return text;
}

// In the order of ssh, the host nearest to this machine first; the document has the other order
// ("reach me via X, X via Y"), so each host found goes to the front.
Result<std::vector<std::string>> jumps_of(const FabricSpec& spec, const NodeSpec& node) {
  std::vector<std::string> jumps;
  const NodeSpec* current = &node;
  for (int hop = 0; hop < kMostJumps; ++hop) {
    if (!current->ssh->jump.value.empty()) jumps.insert(jumps.begin(), current->ssh->jump.value);
    if (current->ssh->via.value.empty()) return jumps;
    const NodeSpec* next = spec.find_node(current->ssh->via.value);
    if (next == nullptr) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: ssh.via: expected a node of the document, found '{}'",
              current->name.str(),
              current->ssh->via.value)};
    }
    jumps.insert(jumps.begin(), jump_text(*next));
    current = next;
  }
  return Error{ErrorCode::invalid, fmt::format("{}: ssh.via leads in a circle", node.name.str())};
}

// Null where neither the operator nor the document has one.
std::function<Result<Secret>(ssh::StopSignal&)> password_of(
    const NodeSpec& node, const PasswordTerms& terms, const Clock& clock) {
  const auto given = terms.of_operator.find(node.name.str());
  if (given != terms.of_operator.end()) {
    if (const auto* secret = std::get_if<Secret>(&given->second->source)) {
      return [secret = *secret](ssh::StopSignal& /*stop*/) -> Result<Secret> {
        return secret;
      };
    }
  } else if (!node.ssh->password) {
    return {};
  }
  const PasswordSource source = given != terms.of_operator.end()
                                    ? std::get<PasswordSource>(given->second->source)
                                    : *node.ssh->password;
  return [source, timeout = terms.timeout, &clock](ssh::StopSignal& stop) {
    return read_password(source, clock, timeout, stop);
  };
}

Result<ssh::Target> target_of(
    const FabricSpec& spec, const NodeSpec& node, const PasswordTerms& terms, const Clock& clock) {
  ssh::Target target;
  target.host = host_of(node);
  target.port = node.ssh->port.value;
  target.user = node.ssh->user.value;
  if (!node.ssh->identity_file.value.empty()) {
    target.identity_files.push_back(expand_home(node.ssh->identity_file.value));
  }
  target.password = password_of(node, terms, clock);
  target.jumps = FABRIC_TRY(jumps_of(spec, node));
  target.sudo = node.ssh->become.value == "sudo";
  target.pinned_host_key = node.ssh->host_key.value;
  target.pin_is_operators = terms.document_trusted;
  const auto given = terms.of_operator.find(node.name.str());
  if (given != terms.of_operator.end()) {
    const OperatorPassword& password = *given->second;
    if (!password.host_key.empty()) target.pinned_host_key = password.host_key;
    if (!password.host_key.empty() || password.host_was_shown) target.pin_is_operators = true;
  }
  target.legacy_algorithms = node.ssh->legacy_algorithms.value;
  return target;
}

Result<std::map<NodeName, ssh::Target>> lab_targets(
    const labserver::LabInfo& lab, const FabricSpec& spec) {
  std::map<NodeName, ssh::Target> targets;
  for (const auto& [name, node] : spec.nodes) {
    if (!is_reached(spec, node)) continue;
    const auto address = lab.addresses.find(name.str());
    if (address == lab.addresses.end()) {
      return Error{
          ErrorCode::not_found,
          fmt::format(
              "the running lab has no node {}: it was made from {}",
              name.str(),
              join(lab.document, ", "))};
    }
    ssh::Target target;
    target.host = address->second;
    target.port = lab.port;
    target.user = node.ssh->user.value.empty() ? "root" : node.ssh->user.value;
    target.sudo = node.ssh->become.value == "sudo";
    target.identity_files = {lab.identity_file};
    target.use_agent = false;
    targets.emplace(name, std::move(target));
  }
  return targets;
}

// The text above the question for the node's password.
report::Text in_words(
    const NodeSpec& node, const std::map<NodeName, ssh::Target>& ways, ssh::ExpectedHosts& hosts) {
  const auto way = ways.find(node.name);
  if (way == ways.end()) return report::compose("{}: is not reached by SSH", node.name.str());
  const Result<ssh::ExpectedHost> host = hosts.find(node.name, way->second);
  if (!host) return host.error().message;
  if (host->fingerprints.empty())
    return report::compose(
        "{}: {}, no host key is known: fabric will not connect to it",
        node.name.str(),
        host->address);
  return report::compose(
      "{}: {}, host key {}{}",
      node.name.str(),
      host->address,
      join(host->fingerprints, ", "),
      host->vouched
          ? ""
          : ", which only the document names: typing the password means trusting this key");
}

Result<std::map<NodeName, ssh::Target>> targets_of_document(
    const Context& context, const workflow::Document& document, const ssh::Options& of_operator) {
  const FabricSpec& spec = document.spec();
  const GlobalOptions& options = context.options();
  PasswordTerms passwords{
      FABRIC_TRY(credentials_of(context, document)), options.timeout, options.trust_document};
  ssh::ExpectedHosts hosts{of_operator};
  if (!options.ask_password.empty()) {
    const auto ways = FABRIC_TRY(ssh_targets(spec, passwords, context.clock()));
    FABRIC_TRY(ask_passwords(
        context,
        spec,
        [&](const NodeSpec& node) { return in_words(node, ways, hosts); },
        passwords.of_operator));
  }
  auto ways = FABRIC_TRY(ssh_targets(spec, passwords, context.clock()));
  if (options.trust_document) return ways;
  Diagnostics refused = untrusted_passwords(spec, passwords.of_operator);
  if (!refused.has_errors()) refused = unvouched_hosts(spec, ways, hosts);
  print(context, document.sources, refused);
  if (refused.has_errors()) return Error{ErrorCode::forbidden, ""};
  return ways;
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
    return Error{
        ErrorCode::invalid,
        "--ask-password needs an answer on the terminal, and --no-input forbids questions"};
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

Result<std::map<NodeName, ssh::Target>> ssh_targets(
    const FabricSpec& spec, const PasswordTerms& passwords, const Clock& clock) {
  std::map<NodeName, ssh::Target> targets;
  for (const auto& [name, node] : spec.nodes) {
    if (is_reached(spec, node))
      targets.emplace(name, FABRIC_TRY(target_of(spec, node, passwords, clock)));
  }
  return targets;
}

Diagnostics untrusted_passwords(const FabricSpec& spec, const OperatorPasswords& of_operator) {
  struct Place {
    const PasswordSource* source;
    std::vector<NodeName> nodes;
  };
  std::map<SourceRange, Place> places;
  for (const auto& [name, node] : spec.nodes) {
    if (!is_reached(spec, node) || !node.ssh->password || of_operator.contains(name.str()))
      continue;
    Place& place = places.try_emplace(node.ssh->password->range, Place{}).first->second;
    place.source = &*node.ssh->password;
    place.nodes.push_back(name);
  }
  Diagnostics refused;
  for (const auto& [range, place] : places) {
    const std::string nodes = fold(place.nodes);
    const bool is_command = !place.source->command.empty();
    refused
        .error(
            workflow::kDocumentNotTrusted,
            range,
            fmt::format(
                "the SSH password of {} comes from {} that the document names, and the document is "
                "not trusted: {}",
                nodes,
                is_command ? "a program on this machine" : "an environment variable here",
                is_command ? "nothing was started" : "nothing was handed out"))
        .with_help(fmt::format(
            "give the password by --ask-password {} or --credentials FILE; {}",
            remote::quote(nodes),
            workflow::kHowToTrust));
  }
  return refused;
}

Diagnostics unvouched_hosts(
    const FabricSpec& spec,
    const std::map<NodeName, ssh::Target>& ways,
    ssh::ExpectedHosts& hosts) {
  Diagnostics refused;
  for (const auto& [name, way] : ways) {
    if (!way.password || way.pinned_host_key.empty() || way.pin_is_operators) continue;
    const Result<ssh::ExpectedHost> host = hosts.find(name, way);
    // A node that can't be reached is reported when it is tried.
    if (!host || host->vouched || host->fingerprints.empty()) continue;
    std::string help = fmt::format(
        "{0}, put the key beside the password, in the file of --credentials: {1}: {{command: "
        "[WORD, "
        "...], host_key: \"{2}\"}}",
        ssh::kSeenAtConsole,
        name.str(),
        host->fingerprints.front());
    if (!host->known_hosts_line.empty())
      help += fmt::format("; or add this line to ~/.ssh/known_hosts: {}", host->known_hosts_line);
    refused
        .error(
            workflow::kDocumentNotTrusted,
            spec.nodes.at(name).ssh->host_key.range,
            fmt::format(
                "the password of {} would go to {}, whose host key {} only the document names, and "
                "the document is not trusted: fabric contacted no node",
                name.str(),
                host->address,
                join(host->fingerprints, ", ")))
        .with_help(fmt::format("{}; {}", help, workflow::kHowToTrust));
  }
  return refused;
}

Result<std::unique_ptr<remote::StepRunner>> connect(
    const Context& context, const workflow::Document& document, ssh::SessionLife session_life) {
  ssh::Options options;
  options.session_life = session_life;
  options.parallelism = context.options().parallelism;
  options.sessions = context.log();
  std::map<NodeName, ssh::Target> targets;
  if (context.options().lab) {
    const labserver::LabInfo lab = FABRIC_TRY(labserver::read_lab_info(kLabFolder));
    targets = FABRIC_TRY(lab_targets(lab, document.spec()));
    options.known_hosts_files = {lab.known_hosts_file};
    options.config_file = "";
  } else {
    if (labserver::read_lab_info(kLabFolder)) {
      context.note(
          "a lab runs in this folder; without --lab these are the real hosts of the document");
    }
    targets = FABRIC_TRY(targets_of_document(context, document, options));
  }
  std::unique_ptr<remote::StepRunner> runner =
      std::make_unique<ssh::Runner>(targets, options, context.clock());
  if (context.log() == nullptr) return runner;
  return std::unique_ptr<remote::StepRunner>{
      std::make_unique<remote::ObservedRunner>(std::move(runner), *context.log())};
}

}  // namespace fabric::cli
