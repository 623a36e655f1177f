// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/linux/fencing.hpp"

#include <chrono>
#include <string_view>
#include <variant>

#include "engine/platform/linux/flush.hpp"
#include "engine/platform/linux/lock_script.hpp"

namespace fabric::platform {

namespace {

constexpr int kRefused = 76;
// What it says then, on a line of its own.
constexpr std::string_view kRefusal = "lease lost: ";
// Of the steps that name none themselves (remote/perform): files, and the copy of an image.
constexpr std::chrono::seconds kFileTakes{60};
constexpr std::chrono::seconds kCopyTakes{600};

// $1 run, $2 seconds that the step may take, $3 what makes a lease last, then the command.
constexpr const char* kFence = R"sh(
refuse() { echo "lease lost: $1" >&2; exit 76; }
[ -e "$file" ] || refuse "run $1 does not hold the lock of this node any more"
[ "$held" = "$1" ] ||
  refuse "this node is locked by ${who:-somebody} (run ${held:-unknown}) now, and not by run $1"
[ "$left" != unreadable ] || refuse "the lock of this node can't be read"
[ "$left" -gt 0 ] || refuse "the lock of run $1 ran out $((0 - left)) s ago"
if [ "$left" -lt "$2" ]; then
  flock -w 10 /var/lib/fabric/lock.mutex sh -c "$3" fabric-lock "$1" "$2" </dev/null >&2 ||
    refuse "the lock of run $1 ends in $left s and can't be made to last"
fi
shift 3
exec "$@"
)sh";

// $1 run, $2 seconds.
constexpr const char* kLengthen = R"sh(
[ "$held" = "$1" ] && [ "$left" != unreadable ] && [ "$left" -gt 0 ] || exit 1
while read -r key value; do
  case $key in
    boot) value=$boot ;;
    taken) value=$((now - age)) ;;
    expires) value=$((now + $2)) ;;
    length) value=$2 ;;
  esac
  line "$key" "$value"
done <"$file" | put
)sh";

std::chrono::seconds longest(const remote::Step& step) {
  if (const auto* run = std::get_if<remote::step::Run>(&step)) {
    return std::chrono::ceil<std::chrono::seconds>(run->command.timeout);
  }
  return std::holds_alternative<remote::step::CopyFile>(step) ? kCopyTakes : kFileTakes;
}

}  // namespace

remote::Step LinuxFencing::while_leased(const std::string& run, remote::Step step) const {
  static const std::string check = std::string{kReadLock} + kFence;
  static const std::string renew = std::string{kFlush} + kReadLock + kPutLock + kLengthen;
  remote::Argv words{"sh", "-c"};
  words.push_back(check);
  words.emplace_back("fabric-fence");
  words.push_back(run);
  words.push_back(std::to_string(longest(step).count()));
  words.push_back(renew);
  if (auto* command = std::get_if<remote::step::Run>(&step)) command->fence = words;
  if (auto* write = std::get_if<remote::step::WriteFile>(&step)) write->fence = words;
  if (auto* copy = std::get_if<remote::step::CopyFile>(&step)) copy->fence = words;
  if (auto* removal = std::get_if<remote::step::RemoveFile>(&step)) removal->fence = words;
  return step;
}

bool LinuxFencing::is_refusal(const remote::StepResult& result) const {
  if (result.outcome != remote::Outcome::succeeded || result.output.exit_status != kRefused)
    return false;
  const std::string& said = result.output.standard_error;
  return said.starts_with(kRefusal) || said.find("\n" + std::string{kRefusal}) != std::string::npos;
}

}  // namespace fabric::platform
