#include "engine/platform/linux/node_lock.hpp"

#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::platform {

namespace {

constexpr Duration kTimeout{30'000};

// All of them: $1 run. The file is read by words, so that a new key of a later version does no
// harm.
constexpr const char* kRead = R"sh(
file=/var/lib/fabric/lock
now=$(date +%s)
held= expires=
if [ -e "$file" ]; then
  while read -r key value; do
    case $key in
      run) held=$value ;;
      expires) expires=$value ;;
    esac
  done <"$file"
  case $expires in '' | *[!0-9]*) expires=unreadable ;; esac
fi
show() {
  echo "now $now"
  if [ -e "$file" ]; then cat "$file"; fi
}
)sh";

// $2 seconds, $3 a run whose lease is not respected, then the holder. Written beside and renamed: a
// node that loses its power in between has the old lock or the new one.
constexpr const char* kTake = R"sh(
if [ -e "$file" ] && [ "$held" != "$1" ] && { [ -z "$3" ] || [ "$held" != "$3" ]; }; then
  if [ "$expires" = unreadable ] || [ "$expires" -gt "$now" ]; then show; exit 0; fi
fi
taken=$now
if [ "$held" = "$1" ]; then
  while read -r key value; do
    case $key in taken) taken=$value ;; esac
  done <"$file"
fi
umask 022
{
  echo "run $1"
  echo "who $4"
  echo "place $5"
  echo "process $6"
  echo "taken $taken"
  echo "expires $((now + $2))"
} >"$file.new" && sync && mv -f "$file.new" "$file" && echo taken
)sh";

constexpr const char* kRelease = R"sh(
if [ "$held" = "$1" ]; then rm -f "$file" || exit 1; fi
show
)sh";

// flock(1) is in util-linux and BusyBox; the file it locks stays, or two could lock two of that
// name.
constexpr const char* kLocked =
    R"sh(mkdir -p /var/lib/fabric && exec flock -w 10 /var/lib/fabric/lock.mutex sh -c "$@")sh";

remote::Step locked(const std::string& script, std::vector<std::string> arguments) {
  remote::Argv argv{"sh", "-c", kLocked, "fabric-lock", kRead + script, "fabric-lock"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return remote::step::Run{remote::Command{std::move(argv), {}, kTimeout}, false};
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
  return found == fields.end() ? std::nullopt : parse_integer(found->second);
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
      kTake, {holder.run, std::to_string(seconds), over, holder.who, holder.place, holder.process});
}

remote::Step LinuxNodeLock::read() const {
  return locked("show\n", {});
}

remote::Step LinuxNodeLock::release(const std::string& run) const {
  return locked(kRelease, {run});
}

Result<LeaseAnswer> LinuxNodeLock::answer(const remote::StepResult& result) const {
  const remote::CommandOutput& output = result.output;
  if (output.exit_status != 0) {
    const std::string_view said = trim(output.standard_error);
    return Error{
        ErrorCode::denied,
        fmt::format(
            "the node's lock /var/lib/fabric/lock could not be used (exit {}): {}",
            output.exit_status,
            said.empty() ? "no reason was given" : said)};
  }
  if (trim(output.standard_output) == "taken") return LeaseAnswer{true, std::nullopt};
  const Fields fields = fields_of(output.standard_output);
  const auto now = number_of(fields, "now");
  if (!now) return Error{ErrorCode::locked, "what the node says of its lock can't be read"};
  if (fields.size() == 1) return LeaseAnswer{};
  const auto taken = number_of(fields, "taken");
  const auto expires = number_of(fields, "expires");
  Lease lease;
  lease.holder = {
      text_of(fields, "run"),
      text_of(fields, "who"),
      text_of(fields, "place"),
      text_of(fields, "process")};
  if (!taken || !expires || lease.holder.run.empty()) {
    return Error{ErrorCode::locked, "there is a lock /var/lib/fabric/lock that fabric can't read"};
  }
  lease.age = std::chrono::seconds{*now - *taken};
  lease.left = std::chrono::seconds{*expires - *now};
  return LeaseAnswer{false, std::move(lease)};
}

}  // namespace fabric::platform
