// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/run.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/base/exit_code.hpp"
#include "engine/base/secrets/core_dump.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/terminal/interrupt.hpp"
#include "engine/cli/verbs/commit.hpp"
#include "engine/cli/verbs/verb.hpp"

namespace fabric::cli {

namespace {

constexpr const char* kFooter =
    "Start with: fabric lab up --nodes 4, then fabric --lab plan .fabric/lab/document\n"
    "Exit codes: 0 done, 1 failed, 2 changes (--detailed-exitcode), 3 invalid input, 4 node\n"
    "unreachable or verify incomplete, 5 policy, 6 locked, 7 plan stale, 8 cancelled, 9 timeout,\n"
    "10 applied in part, 11 failed and rolled back, 12 node lost, 13 not verified, 255 a bug in\n"
    "fabric";

struct CommandLine {
  GlobalOptions options;
  std::string timeout = "60s";
  int verbosity = 0;  // how often -v was given
  std::map<std::string, std::unique_ptr<Verb>> verbs;
};

void declare_globals(CLI::App& app, CommandLine& line) {
  GlobalOptions& options = line.options;
  app.add_option("--chdir", options.directory, "work in this directory")->type_name("DIR");
  app.add_flag("--json", options.json, "events on standard output, one JSON object a line");
  app.add_flag("--no-color", options.no_color, "no colour (as NO_COLOR)");
  app.add_flag("-q,--quiet", options.quiet, "no progress");
  app.add_flag(
      "-v,--verbose",
      line.verbosity,
      "more: each finding, node and wave by itself, and the reason of every change; -vv: also the "
      "lines of --log on standard error");
  app.add_flag("--no-input", options.no_input, "never ask");
  app.add_option("--parallelism", options.parallelism, "nodes at work at the same time")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str()
      ->type_name("N");
  app.add_option(
         "--timeout",
         line.timeout,
         "time limit for reading one node, and for each step of its lock: 30s, 2m")
      ->capture_default_str()
      ->type_name("DURATION");
  auto* lab = app.add_flag("--lab", options.lab, "reach the nodes in the running lab");
  app.add_option("--facts", options.facts, "use facts saved by discover --save; contact no node")
      ->type_name("DIR")
      ->excludes(lab);
  app.add_flag(
      "--trust-document",
      options.trust_document,
      "let the document name programs and variables of this machine for SSH passwords, and files "
      "outside of its folder (as FABRIC_TRUST_DOCUMENT=1)");
  app.add_option(
         "--ask-password",
         options.ask_password,
         "show address and host key of these nodes, for example 'pve[1-4]', and ask on the "
         "terminal "
         "for their SSH password")
      ->type_name("NODESET")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->excludes(lab);
  app.add_option(
         "--credentials",
         options.credentials,
         "SSH passwords by node set: a YAML file outside of the document's tree, mode 0600: "
         "pve[1-4]: {env: NAME}, {command: [pass, show, pve]} or {password: TEXT}, and beside it "
         "host_key: \"SHA256:...\" where known_hosts lacks the host")
      ->type_name("FILE")
      ->excludes(lab);
  app.add_option(
         "--log",
         options.log,
         "append a line to this file for each remote command, session and retry; no secrets, no "
         "content")
      ->type_name("FILE");
}

// Adds the options and the verbs of `app`; returns the verb that was typed, or null.
const CLI::App* add_words(const CLI::App& app, std::vector<std::string>& words) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      words.push_back("--" + name);
  }
  const CLI::App* typed = nullptr;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(verb->get_name());
    if (verb->parsed()) typed = verb;
  }
  return typed;
}

// All words that an unknown word may be a misspelling of: all verbs, and the options of the verb
// that was typed.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  const CLI::App* level = &app;
  while (level != nullptr)
    level = add_words(*level, words);
  return words;
}

std::string did_you_mean(const CLI::App& app, const std::vector<std::string>& arguments) {
  const std::vector<std::string> words = known_words(app);
  for (const std::string& argument : arguments) {
    const std::string word = argument.substr(0, argument.find('='));
    if (std::find(words.begin(), words.end(), word) != words.end()) continue;
    const std::string meant = nearest(word, words);
    if (!meant.empty()) return fmt::format("; did you mean '{}' instead of '{}'?", meant, word);
  }
  return {};
}

int usage_error(
    const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  // CLI11's own texts start with a capital and may end with a stop.
  std::string text{trim(error.what())};
  // But the name of an argument stays as it is: "KIND is required".
  const bool is_sentence =
      text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (is_sentence)
    text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  while (text.ends_with('.'))
    text.pop_back();
  std::string hint;
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (is_extra || dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    hint = did_you_mean(app, arguments);
  write(Stream::standard_error, report::compose("fabric: {}{}\n", text, hint));
  write(Stream::standard_error, "usage: fabric [GLOBAL] VERB, see fabric --help\n");
  return static_cast<int>(ExitCode::invalid);
}

Result<void> enter_directory(const std::string& directory) {
  if (directory.empty()) return {};
  std::error_code failure;
  std::filesystem::current_path(directory, failure);
  if (failure)
    return Error{ErrorCode::not_found, fmt::format("--chdir {}: {}", directory, failure.message())};
  return {};
}

// The explanation of a code; "" if a finding or an error of the same run explains it.
std::string_view explained(ExitCode code) {
  switch (code) {
    case ExitCode::failed:
      return "an error ended the run; the message above says why";
    case ExitCode::changes:
      return "there are changes";
    case ExitCode::unreachable:
      return "incomplete: the messages above name the parts that could not be asked or judged";
    case ExitCode::locked:
      return "another run holds a lock";
    case ExitCode::cancelled:
      return "the run was stopped in order and can be continued";
    case ExitCode::timed_out:
      return "a step exceeded its time limit";
    case ExitCode::partly_applied:
      return "applied in part; another apply continues";
    case ExitCode::rolled_back:
      return "a step failed, and its changes were rolled back";
    case ExitCode::node_lost:
      return "a node is lost or could not be rolled back: an operator must look at it";
    default:
      return {};
  }
}

void explain(const Context& context, ExitCode code) {
  const std::string_view why = explained(code);
  if (why.empty() || context.json()) return;
  write(
      Stream::standard_error,
      report::compose("fabric: exit code {}: {}\n", static_cast<int>(code), why));
}

int leave(const Context& context, ExitCode code) {
  if (context.json()) {
    Map fields = context.summary();
    fields.insert_or_assign("exit_code", static_cast<int>(code));
    fields.insert_or_assign("exit_reason", reason(code));
    context.events().emit(
        code == ExitCode::done ? "info" : "error",
        "run_summary",
        fmt::format("exit {}: {}", static_cast<int>(code), reason(code)),
        std::move(fields));
  }
  if (!flush_output()) {
    write(Stream::standard_error, "fabric: standard output could not be written\n");
    code = worse(code, ExitCode::failed);
  }
  return static_cast<int>(code);
}

int run_verb(Verb& verb, const GlobalOptions& options) {
  const SystemClock clock;
  Context context{options, clock};
  const auto begin_and_run = [&]() -> Result<ExitCode> {
    FABRIC_TRY(enter_directory(options.directory));
    FABRIC_TRY(context.open_log());
    return verb.run(context);
  };
  const Result<ExitCode> result = begin_and_run();
  if (result) {
    explain(context, *result);
    return leave(context, *result);
  }
  // Without words: the diagnostics have been printed.
  if (!result.error().message.empty()) context.error(result.error().message);
  return leave(context, exit_code_for(result.error()));
}

// Outside of the document, like the option.
bool trusted_by_environment() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read before any thread starts.
  const char* trusted = std::getenv("FABRIC_TRUST_DOCUMENT");
  return trusted != nullptr && std::string_view{trusted} == "1";
}

int parse_and_run(const std::vector<std::string>& arguments) {
  CLI::App app{"fabric: RDMA fabrics as code, from one YAML document to converged hosts", "fabric"};
  // Never destroyed: the objects of the verbs end with the process.
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
  static CommandLine* kept = nullptr;
  kept = new CommandLine;
  CommandLine& line = *kept;
  declare_globals(app, line);
  app.set_version_flag(
      "--version",
      fmt::format("fabric {} ({})", FABRIC_VERSION, source_commit()),
      "print the version and the commit");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();
  for (const VerbEntry& entry : verbs()) {
    CLI::App* sub = app.add_subcommand(std::string{entry.name}, std::string{entry.summary});
    sub->footer(fmt::format("Example:\n  {}", entry.example));
    sub->fallthrough();
    std::unique_ptr<Verb>& verb = line.verbs[std::string{entry.name}];
    verb = entry.make();
    verb->declare(*sub);
  }
  try {
    std::vector<std::string> reversed{arguments.rbegin(), arguments.rend()};
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, arguments);
  }
  const Result<Duration> timeout = parse_duration(line.timeout);
  if (!timeout) {
    write(
        Stream::standard_error,
        report::compose("fabric: --timeout: {}\n", timeout.error().message));
    return static_cast<int>(ExitCode::invalid);
  }
  line.options.timeout = *timeout;
  std::error_code failure;
  line.options.started_in = std::filesystem::current_path(failure).string();
  line.options.verbose = line.verbosity > 0;
  line.options.log_shown = line.verbosity > 1;
  line.options.trust_document = line.options.trust_document || trusted_by_environment();
  return run_verb(*line.verbs.at(app.get_subcommands().front()->get_name()), line.options);
}

}  // namespace

namespace {

// Opens standard input, output and error if the parent process has closed them: otherwise the next
// file, a document or a journal, would get their descriptor, and output would be written to it.
// They are the root folder, which can be neither read nor written, so that such an attempt fails as
// with a closed descriptor.
bool hold_standard_descriptors() {
  constexpr std::array kStandard{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  return std::all_of(kStandard.begin(), kStandard.end(), [](int descriptor) {
    const bool closed = fcntl(descriptor, F_GETFD) < 0 && errno == EBADF;
    // The lowest free one is what open() returns.
    return !closed || open("/", O_PATH) == descriptor;
  });
}

}  // namespace

int run(int argc, char** argv) {
  keep_memory_private();
  if (!hold_standard_descriptors()) return static_cast<int>(ExitCode::failed);
  // A peer or a pager that ends is an error of that write, not the end of the program. The call
  // can't fail: the signal exists and may be ignored.
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  // Ignored, it would hide how commands of this machine end.
  static_cast<void>(std::signal(SIGCHLD, SIG_DFL));
  leave_with_local_commands();
  // So is a file that has reached the size that is allowed (RLIMIT_FSIZE).
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
  try {
    return parse_and_run({argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {
    write(Stream::standard_error, "fabric: there is not enough memory on this machine\n");
    return static_cast<int>(ExitCode::failed);
  } catch (const std::system_error& error) {
    // The machine has no more threads, files or room for us.
    write(Stream::standard_error, fmt::format("fabric: this machine refused: {}\n", error.what()));
    return static_cast<int>(ExitCode::failed);
  } catch (const std::exception& error) {
    write(
        Stream::standard_error,
        report::compose("fabric: bug: {}; please report it with the command line\n", error.what()));
  } catch (...) {
    write(Stream::standard_error, "fabric: bug: an unknown exception; please report it\n");
  }
  return static_cast<int>(ExitCode::bug);
}

}  // namespace fabric::cli
