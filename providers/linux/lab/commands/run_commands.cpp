// SPDX-License-Identifier: Apache-2.0
// Commands that run other commands: env flock nohup sh sudo timeout, and builtins as programs.
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/services/subnet_manager.hpp"

namespace fabric::lab::commands {

namespace {

// Runs `words` as a child and says as `reporter` says it when there is no such program.
// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int run_child(Process& process, std::vector<std::string> words, const std::string& reporter) {
  Process child = process;
  child.arguments = std::move(words);
  ++child.depth;
  const Started started = run_program(child);
  if (started.found) return started.status;
  process.err(fmt::format("{}{}: {}\n", reporter, child.name(), describe(started.error)));
  return started.status;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int env(Process& process) {
  std::vector<std::string> words{process.arguments.begin() + 1, process.arguments.end()};
  while (!words.empty() && words.front().find('=') != std::string::npos) {
    const std::size_t equals = words.front().find('=');
    process.environment[words.front().substr(0, equals)] = words.front().substr(equals + 1);
    words.erase(words.begin());
  }
  if (!words.empty()) return run_child(process, std::move(words), "env: ");
  for (const auto& [name, value] : process.environment)
    process.out(fmt::format("{}={}\n", name, value));
  return 0;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int nohup(Process& process) {
  if (process.arguments.size() < 2) return process.fail(125, "missing operand");
  return run_child(
      process,
      {process.arguments.begin() + 1, process.arguments.end()},
      "nohup: failed to run command ");
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int timeout(Process& process) {
  const std::optional<Options> options =
      parse_options(process, {.flags = "", .valued = "k", .stop_at_operand = true});
  if (!options || options->operands.size() < 2) return 125;
  std::string limit = options->operands[0];
  if (!limit.empty() && limit.back() == 's') limit.pop_back();
  const std::optional<std::int64_t> seconds = parse_integer(limit.substr(0, limit.find('.')));
  if (!seconds)
    return process.fail(125, fmt::format("invalid time interval '{}'", options->operands[0]));
  const Duration before = process.session.elapsed;
  const int status = run_child(
      process,
      {options->operands.begin() + 1, options->operands.end()},
      "timeout: failed to run command ");
  const Duration over = process.session.elapsed - before - std::chrono::seconds{*seconds};
  if (*seconds <= 0 || over <= Duration{0}) return status;
  // The command was killed at its deadline: its output is kept, and time beyond it is taken back.
  process.session.pass(-over);
  return 124;
}

// flock(1) FILE COMMAND: the file is made, and no other process holds it, because one command of a
// node ends before the next begins. Locking a descriptor is not known here.
// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int flock(Process& process) {
  const std::optional<Options> options =
      parse_options(process, {.flags = "", .valued = "w", .stop_at_operand = true});
  if (!options) return 64;
  if (options->operands.size() < 2) return process.fail(64, "requires a file and a command");
  InodeNumber number = 0;
  const FileError error = process.files().open_for_write(
      process.path(options->operands[0]),
      process.user,
      0666U & ~process.umask,
      FileTree::Open::append,
      number);
  if (error != FileError::none) {
    return process.fail(
        66, fmt::format("cannot open lock file {}: {}", options->operands[0], describe(error)));
  }
  return run_child(
      process,
      {options->operands.begin() + 1, options->operands.end()},
      "flock: failed to execute ");
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int sudo(Process& process) {
  const std::optional<Options> options =
      parse_options(process, {.flags = "nkSHEA", .valued = "upg", .stop_at_operand = true});
  if (!options) return 1;
  std::vector<std::string> words = options->operands;
  const std::string target = options->value("u", "root");
  if (!process.machine().user_exists(target)) return process.fail(1, "unknown user " + target);
  const bool allowed = process.root() || process.machine().user_exists(process.user);
  if (!allowed) return process.fail(1, "a password is required");
  if (words.empty()) return process.fail(1, "a command is required");
  Process child = process;
  child.user = target;
  child.depth = process.depth + 1;
  child.environment = {
      {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
      {"HOME", target == "root" ? "/root" : "/home/" + target},
      {"USER", target},
      {"LOGNAME", target},
      {"SUDO_USER", process.user}};
  while (!words.empty() && words.front().find('=') != std::string::npos) {
    const std::size_t equals = words.front().find('=');
    child.environment[words.front().substr(0, equals)] = words.front().substr(equals + 1);
    words.erase(words.begin());
  }
  if (words.empty()) return process.fail(1, "a command is required");
  child.arguments = words;
  // sudo itself keeps the environment of whoever called it.
  child.parent = process.session.process_number();
  const std::string shown = fmt::format("/proc/{}", child.parent);
  std::string environment;
  for (const auto& [name, value] : process.environment)
    environment += name + "=" + value + '\0';
  process.files().install(shown + "/environ", environment, 0400);
  process.files().install(shown + "/status", "Name:\tsudo\nPPid:\t1\n", 0444);
  const Started started = run_program(child);
  process.files().erase_all_below(shown);
  if (started.found) return started.status;
  return process.fail(1, words.front() + ": command not found");
}

// sh -c TEXT [$0 [ARGUMENT...]], sh -s [ARGUMENT...], sh FILE [ARGUMENT...]
// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int sh(Process& process) {
  std::string options;
  std::size_t at = 1;
  for (; at < process.arguments.size(); ++at) {
    const std::string& word = process.arguments[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word.size() < 2 || word[0] != '-') break;
    options += word.substr(1);
  }
  std::vector<std::string> rest{
      process.arguments.begin() + static_cast<std::ptrdiff_t>(at), process.arguments.end()};
  std::string settings;
  for (const char letter : options) {
    if (std::string_view{"eux"}.find(letter) != std::string_view::npos) settings += letter;
  }
  const std::string prefix = settings.empty() ? "" : "set -" + settings + ";";
  const auto has = [&](char letter) {
    return options.find(letter) != std::string::npos;
  };
  if (has('c')) {
    if (rest.empty()) return process.fail(2, "0: -c requires an argument");
    const std::string text = rest.front();
    rest.erase(rest.begin());
    std::string zero = process.name();
    if (!rest.empty()) {
      zero = rest.front();
      rest.erase(rest.begin());
    }
    return run_script(process, prefix + text, zero, std::move(rest));
  }
  if (has('s') || rest.empty()) {
    const std::string text = process.input();
    return run_script(process, prefix + text, process.name(), std::move(rest));
  }
  const std::string file = rest.front();
  rest.erase(rest.begin());
  std::string content;
  const FileError error = process.files().read(process.path(file), process.user, content);
  if (error != FileError::none) {
    process.err(fmt::format(
        "{}: 0: cannot open {}: {}\n",
        process.name(),
        file,
        error == FileError::not_found ? "No such file" : describe(error)));
    return error == FileError::not_found ? 127 : 126;
  }
  return run_script(process, prefix + content, file, std::move(rest));
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int builtin(Process& process) {
  std::vector<std::string> words = process.arguments;
  words.front() = words.front().substr(words.front().rfind('/') + 1);
  return run_script(
      process, "command " + remote::command_line({words.begin(), words.end()}), process.name(), {});
}

// Commands about the machine and its time: date hostname id kill reboot sleep

namespace {

// From the answer of `reboot` to the end of sshd: services are stopped in between.
constexpr Duration kShutdownTakes{300};

std::optional<Duration> parse_seconds(const std::string& text) {
  const std::size_t dot = text.find('.');
  const std::optional<std::int64_t> whole = dot == 0 ? 0 : parse_integer(text.substr(0, dot));
  std::string fraction = dot == std::string::npos ? "0" : text.substr(dot + 1);
  fraction.resize(3, '0');
  const std::optional<std::int64_t> milliseconds = parse_integer(fraction);
  if (!whole || !milliseconds || *whole < 0) return std::nullopt;
  return Duration{*whole * 1000 + *milliseconds};
}

}  // namespace

int id(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "ugnGr", .valued = ""});
  if (!options) return 1;
  const std::string number = process.root() ? "0" : "1000";
  if (options->has("u") || options->has("g") || options->has("G")) {
    process.out((options->has("n") ? process.user : number) + "\n");
  } else {
    process.out(fmt::format("uid={0}({1}) gid={0}({1}) groups={0}({1})\n", number, process.user));
  }
  return 0;
}

int hostname(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "sf", .valued = ""});
  if (!options) return 1;
  if (!options->operands.empty()) return process.fail(1, "the name can't be changed here");
  process.out(process.machine().state.hostname + "\n");
  return 0;
}

int date(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "u", .valued = ""});
  if (!options) return 1;
  const auto seconds = static_cast<std::time_t>(process.machine().unix_milliseconds() / 1000);
  std::string format =
      options->operands.empty() ? "+%a %b %e %H:%M:%S UTC %Y" : options->operands[0];
  if (format.empty() || format[0] != '+')
    return process.fail(1, fmt::format("invalid date '{}'", format));
  format.erase(0, 1);
  std::tm broken_down{};
  gmtime_r(&seconds, &broken_down);
  std::array<char, 256> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), format.c_str(), &broken_down);
  process.out(std::string{text.data(), length} + "\n");
  return 0;
}

// Processes that live on are OpenSM's alone.
int kill(Process& process) {
  const bool hangs_up = process.arguments.size() > 1 && process.arguments[1] == "-HUP";
  if (!hangs_up) return process.fail(1, "only SIGHUP can be sent here");
  int status = 0;
  for (std::size_t i = 2; i < process.arguments.size(); ++i) {
    const auto number = parse_unsigned(process.arguments[i], 10);
    if (number && process.root() && hang_up_manager(process.machine(), *number)) continue;
    status = process.fail(1, fmt::format("({}) - No such process", process.arguments[i]));
  }
  return status;
}

int pause(Process& process) {
  if (process.arguments.size() < 2) return process.fail(1, "missing operand");
  std::string text = process.arguments[1];
  if (!text.empty() && text.back() == 's') text.pop_back();
  const std::optional<Duration> duration = parse_seconds(text);
  if (!duration)
    return process.fail(1, fmt::format("invalid time interval '{}'", process.arguments[1]));
  process.session.pass(*duration);
  return 0;
}

int reboot(Process& process) {
  if (!process.root()) {
    process.err(
        "Failed to set wall message, ignoring: Interactive authentication required.\n"
        "Call to Reboot failed: Interactive authentication required.\n");
    return 1;
  }
  LinuxHost& machine = process.machine();
  if (machine.shutdown_at) return 0;
  machine.note_change();
  machine.shutdown_at = machine.now + kShutdownTakes;
  return 0;
}

}  // namespace fabric::lab::commands
