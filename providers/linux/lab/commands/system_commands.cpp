// SPDX-License-Identifier: Apache-2.0
// Commands about the machine and its time: date hostname id kill reboot sleep
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/services/subnet_manager.hpp"

namespace fabric::lab::commands {
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
