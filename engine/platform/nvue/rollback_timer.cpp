// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/nvue/rollback_timer.hpp"

#include <array>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/platform/linux/flush.hpp"

namespace fabric::platform {

namespace {

constexpr const char* kGuards = "/var/lib/fabric/guard";
constexpr Duration kTimeout{60'000};
// Of a revision that waits for a confirmation, and is nobody's that we know.
constexpr std::string_view kForeign = "0000000000000000";

std::string folder(const std::string& token) {
  return fmt::format("{}/{}", kGuards, token);
}

// $1 is the folder of the token. Files in it: `armed` (the holder), `until` (seconds since the
// boot), `boot` (of which boot), `before` (what was in force, as a sum), `applying` (an apply was
// begun), `confirmed`, `fired`. A rollback that has begun shows no revision that waits, and not yet
// what was in force before: only time tells it from a confirmation whose answer was lost. A boot
// ends all that waits, and can bring back less than was in force before, if that was not saved.
//
// `waiting` prints the revision that waits for its confirmation: the first two words of a row of
// the table are its id and its state (E-nvue-revisions).
constexpr const char* kTools = R"sh(
at=$1
waiting() {
  nv config revision 2>/dev/null | while read -r id state rest; do
    if [ "$state" = confirm ]; then
      echo "$id"
      break
    fi
  done
}
in_force() { nv config show -r applied -o commands 2>/dev/null | sha256sum; }
seconds() { read -r up rest </proc/uptime && echo "${up%%.*}"; }
boot() { cat /proc/sys/kernel/random/boot_id; }
left() {
  [ "$(cat "$at/boot" 2>/dev/null)" = "$(boot)" ] || { echo 0; return; }
  until=$(cat "$at/until" 2>/dev/null) && echo $((until - $(seconds)))
}
say() {
  if [ ! -d "$at" ]; then
    echo disarmed
  elif [ -n "$(waiting)" ]; then
    if [ -e "$at/fired" ]; then echo firing; else echo armed; fi
  elif [ -e "$at/applying" ]; then
    if [ "$(in_force)" = "$(cat "$at/before")" ]; then
      echo rolled-back
    elif [ -e "$at/confirmed" ] || [ "$(left)" -le -60 ]; then
      echo disarmed
    elif [ "$(cat "$at/boot" 2>/dev/null)" != "$(boot)" ]; then
      echo rolled-back
    else
      echo firing
    fi
  elif [ -e "$at/fired" ] || [ "$(left)" -le 0 ]; then
    echo rolled-back
  else
    echo armed
  fi
}
)sh";

constexpr const char* kArm = R"sh(
own=$at
for at in "${own%/*}"/*; do
  [ "$at" != "$own" ] && [ -d "$at" ] || continue
  case $(say) in
  armed | firing)
    echo "another rollback timer is armed: $at: $(cat "$at/armed")" >&2
    exit 75
    ;;
  esac
  rm -rf "$at"
  flush_folder "${at%/*}"
done
at=$own
other=$(waiting)
if [ -n "$other" ] && [ ! -d "$at" ]; then
  echo "revision $other waits to be confirmed by somebody else" >&2
  exit 75
fi
[ ! -e "$at/fired" ] || exit 75
if [ ! -e "$at/armed" ]; then
  umask 077
  mkdir -p "$at" && in_force >"$at/before" && boot >"$at/boot" &&
    echo $(($(seconds) + $2)) >"$at/until" && echo "$3" >"$at/armed" || exit 1
  flush_file "$at"/* && flush_folder "$at"
fi
)sh";

// Of an apply that is refused, or finds nothing to do, nothing waits.
constexpr const char* kApply = R"sh(
left=$(left)
if [ ! -e "$at/armed" ] || [ "${left:-0}" -le 0 ]; then
  echo "it came too late: this rollback timer was given up, or has fired" >&2
  exit 75
fi
: >"$at/applying"
flush_file "$at/applying" && flush_folder "$at"
shift
"$@" --confirm "${left}s"
status=$?
if [ -z "$(waiting)" ]; then
  rm -f "$at/applying"
  flush_folder "$at"
fi
exit "$status"
)sh";

constexpr const char* kDisarm = R"sh(
revision=$(waiting)
if [ -d "$at" ] && [ -n "$revision" ] && [ ! -e "$at/fired" ]; then
  if nv config apply "$revision" --confirm-yes >&2 && [ -z "$(waiting)" ]; then
    : >"$at/confirmed"
    flush_folder "$at"
    nv config save >&2
  fi
fi
said=$(say)
if [ "$said" = disarmed ] || { [ "$said" = armed ] && [ ! -e "$at/applying" ]; }; then
  rm -rf "$at"
  [ ! -d "${at%/*}" ] || flush_folder "${at%/*}"
  said=disarmed
fi
echo "$said"
)sh";

constexpr const char* kFire = R"sh(
if [ -d "$at" ]; then
  : >"$at/fired"
  flush_folder "$at"
  revision=$(waiting)
  if [ -n "$revision" ]; then nv config apply "$revision" --confirm-no >&2; fi
  nv config detach >/dev/null 2>&1
fi
say
)sh";

constexpr const char* kFind = R"sh(
for at in /var/lib/fabric/guard/*; do
  [ -e "$at/armed" ] || continue
  case $(say) in
  armed) echo "armed ${at##*/} $(cat "$at/armed")" ;;
  firing) echo "firing ${at##*/} $(cat "$at/armed")" ;;
  esac
  found=yes
done
revision=$(waiting)
if [ -n "$revision" ] && [ -z "$found" ]; then echo "foreign $revision"; fi
exit 0
)sh";

remote::step::Run shell(
    const char* script, const std::string& token, const remote::Argv& arguments, bool fresh) {
  remote::Argv argv{
      "sh", "-c", fmt::format("{}{}{}", kFlush, kTools, script), "fabric-guard", folder(token)};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return {remote::Command{std::move(argv), {}, kTimeout}, fresh};
}

bool is_apply(const remote::Argv& argv) {
  constexpr std::array<std::string_view, 3> kWords{"nv", "config", "apply"};
  return argv.size() >= kWords.size() && std::equal(kWords.begin(), kWords.end(), argv.begin());
}

}  // namespace

remote::Step NvueRollbackTimer::arm(const GuardOrder& order, const WorkSteps& /*undo*/) const {
  return shell(
      kArm, order.token, {std::to_string(order.timeout.count() / 1000), order.holder}, false);
}

bool NvueRollbackTimer::holds_back(const remote::Step& step) const {
  return remote::has_gate(step) || !remote::is_sent(step);
}

remote::Step NvueRollbackTimer::while_armed(const std::string& token, remote::Step step) const {
  FABRIC_CHECK(holds_back(step), "a step that the rollback timer can't hold back");
  remote::set_gate(step, folder(token) + "/armed");
  auto* run = std::get_if<remote::step::Run>(&step);
  if (run == nullptr || !is_apply(run->command.argv)) return step;
  run->command.argv = shell(kApply, token, run->command.argv, false).command.argv;
  return step;
}

remote::Step NvueRollbackTimer::disarm(const std::string& token) const {
  return shell(kDisarm, token, {}, true);
}

remote::Step NvueRollbackTimer::fire(const std::string& token) const {
  return shell(kFire, token, {}, true);
}

remote::Step NvueRollbackTimer::ask(const std::string& token) const {
  remote::step::Run run = shell("say\n", token, {}, true);
  run.reads_only = true;
  return run;
}

remote::Step NvueRollbackTimer::clear(const std::string& token) const {
  return shell(
      "rm -rf \"$at\"\n[ ! -d \"${at%/*}\" ] || flush_folder \"${at%/*}\"\necho disarmed\n",
      token,
      {},
      true);
}

GuardState NvueRollbackTimer::state(const remote::StepResult& result) const {
  const std::string_view word = trim(result.output.standard_output);
  if (word == "armed") return GuardState::armed;
  if (word == "firing") return GuardState::firing;
  if (word == "rolled-back") return GuardState::rolled_back;
  if (word == "disarmed") return GuardState::disarmed;
  return GuardState::unknown;
}

remote::Step NvueRollbackTimer::find() const {
  remote::step::Run run = shell(kFind, std::string{kForeign}, {}, false);
  run.reads_only = true;
  return run;
}

std::vector<FoundGuard> NvueRollbackTimer::found(const remote::StepResult& result) const {
  std::vector<FoundGuard> guards;
  for (const std::string_view line : split_lines(result.output.standard_output)) {
    const auto words = split_words(line);
    if (words.size() < 2) continue;
    if (words[0] == "foreign") {
      guards.push_back(
          {std::string{kForeign}, fmt::format("revision {} of somebody else", words[1]), true});
      continue;
    }
    // The token goes into commands again.
    if (words[1].size() != kForeign.size() || !parse_unsigned(words[1], 16)) continue;
    const std::size_t at = line.find(words[1]) + words[1].size();
    guards.push_back(
        {std::string{words[1]}, std::string{trim(line.substr(at))}, words[0] == "firing"});
  }
  return guards;
}

}  // namespace fabric::platform
