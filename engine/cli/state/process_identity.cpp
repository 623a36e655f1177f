#include "engine/cli/state/process_identity.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

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

// The boot and the process namespace: a pid means nothing outside of them.
std::string this_place() {
  std::error_code failure;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", failure).string();
  return fmt::format("{}/{}", trim(text_of("/proc/sys/kernel/random/boot_id")), space);
}

// Field 22 of /proc/PID/stat (proc(5)), in ticks since the boot; "" if there is no such process.
// The second field is a name in parentheses that may hold anything.
std::string start_time(std::string_view pid) {
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

execute::LeaseHolder this_holder(const std::string& run) {
  const std::string pid = std::to_string(getpid());
  return {run, this_user(), this_place(), fmt::format("{}.{}", pid, start_time(pid))};
}

bool has_ended(const execute::LeaseHolder& holder) {
  const std::size_t dot = holder.process.find('.');
  if (dot == std::string::npos || holder.place != this_place()) return false;
  const std::string_view process = holder.process;
  if (!parse_unsigned(process.substr(0, dot), 10)) return false;
  return start_time(process.substr(0, dot)) != process.substr(dot + 1);
}

Random fresh_random(const Clock& clock) {
  constexpr unsigned kProcessBits = 22;  // Linux: at most 4,194,304 processes
  const auto now = static_cast<std::uint64_t>(clock.unix_milliseconds());
  return Random{(now << kProcessBits) ^ static_cast<std::uint64_t>(getpid())};
}

}  // namespace fabric::cli
