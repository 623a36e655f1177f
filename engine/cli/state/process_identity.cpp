// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/process_identity.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "engine/base/text.hpp"

namespace fabric::cli {

namespace {

std::string text_of(const std::string& path) {
  std::ifstream stream{path};
  return std::string{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
}

std::string name_space(const char* kind) {
  std::error_code failure;
  return std::filesystem::read_symlink(fmt::format("/proc/self/ns/{}", kind), failure).string();
}

// Field 22 of /proc/PID/stat (proc(5)), in ticks since the boot; "" if there is no such process.
// The second field is a name in parentheses that may hold anything.
std::string start_time_of(pid_t pid) {
  const std::string stat = text_of(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  const std::vector<std::string_view> fields =
      split_words(std::string_view{stat}.substr(name_end + 1));
  constexpr std::size_t kStartTime = 22 - 3;  // the first field behind the name is the third
  return fields.size() > kStartTime ? std::string{fields[kStartTime]} : std::string{};
}

std::string this_user() {
  const passwd* entry = getpwuid(geteuid());
  std::array<char, 256> host{};
  const bool has_host = gethostname(host.data(), host.size() - 1) == 0;
  return fmt::format(
      "{}@{}",
      entry == nullptr ? std::to_string(geteuid()) : std::string{entry->pw_name},
      has_host ? host.data() : "?");
}

}  // namespace

std::string ThisKernel::place() const {
  const std::string_view boot = "/proc/sys/kernel/random/boot_id";
  const std::string text = text_of(std::string{boot});
  const std::string processes = name_space("pid");
  // Unknown places are never equal: nothing shows that both are one machine.
  if (trim(text).empty() || processes.empty()) return {};
  // Start times are told by the clocks of the reader's time namespace (time_namespaces(7)).
  return fmt::format("{}/{}/{}", trim(text), processes, name_space("time"));
}

ProcessState ThisKernel::ask(pid_t pid) const {
  if (kill(pid, 0) == 0 || errno == EPERM) return ProcessState::exists;
  return errno == ESRCH ? ProcessState::none : ProcessState::unknown;
}

std::string ThisKernel::start_time(pid_t pid) const {
  return start_time_of(pid);
}

execute::LeaseHolder this_holder(const std::string& run) {
  const ThisKernel kernel;
  const pid_t pid = getpid();
  return {run, this_user(), kernel.place(), fmt::format("{}.{}", pid, kernel.start_time(pid))};
}

bool has_ended(const execute::LeaseHolder& holder, const Kernel& kernel) {
  const std::string place = kernel.place();
  const std::size_t dot = holder.process.find('.');
  if (dot == std::string::npos || place.empty() || holder.place != place) return false;
  const std::string_view process = holder.process;
  const std::optional<std::uint64_t> number = parse_unsigned(process.substr(0, dot), 10);
  // 0 and what turns negative name groups of processes (kill(2)).
  if (!number || *number == 0 || *number > std::numeric_limits<pid_t>::max()) return false;
  const auto pid = static_cast<pid_t>(*number);
  if (kernel.ask(pid) == ProcessState::none) return true;
  const std::string_view noted = process.substr(dot + 1);
  const std::string found = kernel.start_time(pid);
  return !noted.empty() && !found.empty() && noted != found;
}

platform::Identity this_machine() {
  platform::Identity identity;
  identity.machine_id = trim(text_of("/etc/machine-id"));
  identity.boot_id = trim(text_of("/proc/sys/kernel/random/boot_id"));
  return identity;
}

Random fresh_random(const Clock& clock) {
  constexpr unsigned kProcessBits = 22;  // Linux: at most 4,194,304 processes
  const auto now = static_cast<std::uint64_t>(clock.unix_milliseconds());
  return Random{(now << kProcessBits) ^ static_cast<std::uint64_t>(getpid())};
}

}  // namespace fabric::cli
