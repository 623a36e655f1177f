// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/node_lock.hpp"

#include <map>

#include <fmt/format.h>

#include "engine/base/secrets/redaction.hpp"
#include "engine/base/text.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr Duration kLockTimeout{30'000};

// flock(1) is in util-linux and BusyBox; the file it locks stays, or two could lock two of that
// name.
constexpr const char* kLocked =
    R"sh(mkdir -p /var/lib/fabric && exec flock -w 10 /var/lib/fabric/lock.mutex sh -c "$@")sh";

remote::Step locked(const remote::Script& script, const remote::Argv& arguments) {
  remote::Argv argv{"sh", "-c", kLocked, "fabric-lock", script, "fabric-lock"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return remote::step::Run{remote::Command{std::move(argv), {}, kLockTimeout}, false};
}

using Fields = std::map<std::string, std::string, std::less<>>;

Fields fields_of(std::string_view text) {
  Fields fields;
  for (const std::string_view line : split_lines(text)) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos)
      fields.emplace(line.substr(0, blank), trim(line.substr(blank)));
  }
  return fields;
}

std::optional<std::int64_t> number_of(const Fields& fields, std::string_view key) {
  const auto found = fields.find(key);
  if (found == fields.end()) return std::nullopt;
  const auto number = parse_integer(found->second);
  // Seconds that no clock shows can't be added and subtracted either.
  constexpr std::int64_t kMost = 1'000'000'000'000;
  return number && *number >= -kMost && *number <= kMost ? number : std::nullopt;
}

std::string text_of(const Fields& fields, std::string_view key) {
  const auto found = fields.find(key);
  return found == fields.end() ? "" : found->second;
}

}  // namespace

remote::Step LinuxNodeLock::take(
    const LeaseHolder& holder, Duration length, const std::string& over) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(length).count();
  return locked(
      sh::lock_take,
      {holder.run, std::to_string(seconds), over, holder.who, holder.place, holder.process});
}

remote::Step LinuxNodeLock::read() const {
  return locked(sh::lock_print, {});
}

remote::Step LinuxNodeLock::release(const std::string& run) const {
  return locked(sh::lock_release, {run});
}

Result<LeaseAnswer> LinuxNodeLock::answer(const remote::StepResult& result) const {
  const remote::CommandOutput& output = result.output;
  if (output.exit_status != 0) {
    const std::string text = without_secrets(output.standard_error);
    const std::string_view said = trim(text);
    return Error{
        ErrorCode::denied,
        fmt::format(
            "the node's lock /var/lib/fabric/lock could not be used (exit {}): {}",
            output.exit_status,
            said.empty() ? "no reason was given" : said)};
  }
  if (trim(output.standard_output) == "taken") return LeaseAnswer{true, std::nullopt};
  const Fields fields = fields_of(output.standard_output);
  if (!number_of(fields, "uptime"))
    return Error{ErrorCode::locked, "the node's answer about its lock has no uptime"};
  if (fields.size() == 1) return LeaseAnswer{};
  const auto left = number_of(fields, "left");
  const auto age = number_of(fields, "age");
  Lease lease;
  lease.holder = {
      text_of(fields, "run"),
      text_of(fields, "who"),
      text_of(fields, "place"),
      text_of(fields, "process")};
  if (!left || !age || lease.holder.run.empty()) {
    return Error{
        ErrorCode::locked,
        fmt::format(
            "there is a lock {} that fabric can't read: look at it, and remove it by hand once no "
            "fabric is at work on the node",
            kLockFile)};
  }
  lease.age = std::chrono::seconds{*age};
  lease.left = std::chrono::seconds{*left};
  return LeaseAnswer{false, std::move(lease)};
}

}  // namespace fabric::platform
