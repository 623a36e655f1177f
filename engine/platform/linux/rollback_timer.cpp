// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/linux/rollback_timer.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/platform/linux/flush.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::platform {

namespace {

constexpr const char* kGuards = "/var/lib/fabric/guard";
constexpr Duration kTimeout{30'000};

std::string folder(const std::string& token) {
  return fmt::format("{}/{}", kGuards, token);
}

std::string unit(const std::string& token) {
  return "fabric-guard-" + token;
}

remote::step::Run shell(std::string script, std::vector<std::string> arguments, bool fresh) {
  remote::Argv argv{"sh", "-c", std::move(script), "fabric-guard"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return {remote::Command{std::move(argv), {}, kTimeout}, fresh};
}

// What still runs of the action (remote/perform).
constexpr const char* kStopAction =
    R"sh(running() { grep -ls "FABRIC_GATE=$PWD/armed" /proc/[0-9]*/environ 2>/dev/null; }
stop() {
  for found in $(running); do
    found=${found%/environ}
    kill "$1" "${found#/proc/}" 2>/dev/null
  done
}
for second in 1 2 3 4 5; do
  [ -n "$(running)" ] || break
  stop -TERM
  sleep 1
done
stop -KILL
)sh";

// Beside and renamed, by a name that no reader of drop-in folders takes for a file of its own
// (remote/perform).
constexpr const char* kPutBack = R"sh(
failed=
put_back() {
  new=${2%/*}/.fabric-rollback.$$
  cp -p "$1" "$new" && flush_file "$new" && mv -f "$new" "$2" && flush_folder "${2%/*}" ||
    { rm -f "$new"; failed=yes; }
}
take_away() {
  rm -f "$1" || failed=yes
  [ ! -d "${1%/*}/" ] || flush_folder "${1%/*}"
}
)sh";

// In the order of the draft: what several actions undo has every file before the first command.
// A node that goes down while it runs finds `firing` at its next boot and does it again.
std::string rollback_script(const GuardOrder& order, const WorkSteps& undo) {
  std::string script = fmt::format(
      "#!/bin/sh\n"
      "# Written by fabric: rolls back {} unless that is confirmed in time.\n"
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
      "cd {} || exit 1\n"
      "mv armed firing 2>/dev/null || [ -e firing ] || exit 0\n"
      "{}{}{}{}",
      order.holder,
      folder(order.token),
      kStopAction,
      kFlush,
      kFlushSystem,
      kPutBack);
  std::size_t copies = 0;
  for (const remote::Step& step : undo) {
    if (const auto* write = std::get_if<remote::step::WriteFile>(&step))
      script += fmt::format("put_back restore-{} {}\n", copies++, remote::quote(write->path));
    if (const auto* removal = std::get_if<remote::step::RemoveFile>(&step))
      script += fmt::format("take_away {}\n", remote::quote(removal->path));
    if (const auto* run = std::get_if<remote::step::Run>(&step))
      script += fmt::format("{} || failed=yes\n", remote::command_line(run->command.argv));
  }
  script +=
      "flush_system\n"
      "if [ -z \"$failed\" ]; then mv firing rolled-back; else mv firing rollback-failed; fi\n"
      "flush_folder \"$PWD\"\n";
  return script;
}

std::string service_text(const GuardOrder& order) {
  return fmt::format(
      "# managed by fabric\n[Unit]\nDescription=Roll back {} of fabric\n\n"
      "[Service]\nType=oneshot\nExecStart=/bin/sh {}/rollback\n",
      order.holder,
      folder(order.token));
}

std::string timer_text(const GuardOrder& order) {
  return fmt::format(
      "# managed by fabric\n[Unit]\nDescription=Wait for {} of fabric to be confirmed\n\n"
      "[Timer]\nOnActiveSec={}s\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n",
      order.holder,
      order.timeout.count() / 1000);
}

// $1 folder, $2 unit. `revoke` says that nobody arms the timer of this token any more: an arming
// that was sent before may still be on its way, and nobody would wait for that timer. Nothing is on
// its way any longer after a boot, so the mark goes with it. `withdraw` disarms: the rename decides
// between it and the timer, only one of them gets the file. The folder goes last, so that whoever
// comes after a power cut finds what else is left by it.
constexpr const char* kWithdraw = R"sh(
revoked() { [ -e "/run/fabric-guard/${1##*/}" ]; }
revoke() { mkdir -p /run/fabric-guard && : >"/run/fabric-guard/${1##*/}"; }
sleeper() {
  process=$(cat "$1/sleeper" 2>/dev/null) && [ -n "$process" ] &&
    tr '\0' ' ' <"/proc/$process/cmdline" 2>/dev/null | grep -qF "$1"
}
remove() {
  if [ -e "/etc/systemd/system/$2.timer" ]; then
    systemctl stop "$2.timer" >/dev/null 2>&1
  fi
  if sleeper "$1"; then kill -TERM "-$process" 2>/dev/null; fi
  for left in "/etc/systemd/system/timers.target.wants/$2.timer" \
    "/etc/systemd/system/$2.timer" "/etc/systemd/system/$2.service" "/etc/cron.d/$2"; do
    if [ -e "$left" ] || [ -h "$left" ]; then
      rm -f "$left"
      flush_folder "${left%/*}"
    fi
  done
  cd / && rm -rf "$1"
  if [ -d "${1%/*}" ]; then flush_folder "${1%/*}"; fi
}
has_fired() { [ -e "$1/firing" ] || [ -e "$1/rolled-back" ] || [ -e "$1/rollback-failed" ]; }
withdraw() {
  if [ -d "$1" ]; then
    mv "$1/armed" "$1/disarmed" 2>/dev/null && flush_folder "$1"
    has_fired "$1" || remove "$1" "$2"
  fi
}
)sh";

// With $at at the own folder, $unit. What stands there of an arming that was cut short, or of a
// disarming, is nobody's: the node belongs to one run.
constexpr const char* kRefuseOthers = R"sh(
too_late() {
  withdraw "$at" "$unit"
  echo "it came too late: this rollback timer was given up, or has fired" >&2
  exit 75
}
for other in /var/lib/fabric/guard/*; do
  [ "$other" != "$at" ] && [ -d "$other" ] || continue
  for state in armed firing; do
    [ -e "$other/$state" ] || continue
    echo "another rollback timer is armed: $other: $(cat "$other/$state")" >&2
    exit 75
  done
  has_fired "$other" || remove "$other" "fabric-guard-${other##*/}"
done
if revoked "$at" || has_fired "$at"; then too_late; fi
umask 077
mkdir -p "$at" && cd "$at" || exit 1
)sh";

// With $at the folder, $unit, $from "now" or "next-boot", $seconds. The same order may come twice,
// when the answer to the first was lost: what has been armed once is not armed again, for it may
// have fired meanwhile. A manager that reads all its unit files anew takes seconds on a slow node;
// one that has never heard of a unit looks for its file when it is started, but before systemd 246
// not in every case. That a timer is there is read back: systemctl has been seen to say nothing and
// do nothing while the manager was busy. Not every cron knows the line it is given (E-cron-reboot).
constexpr const char* kStart = R"sh(
flush_file ./* || exit 1
flush_folder "$at"
if mkdir begun 2>/dev/null; then mv ready armed || exit 1; fi
[ -e armed ] || too_late
flush_folder "$at"
if revoked "$at"; then too_late; fi
place() {
  cp "$1" "$2/.$3.$$" && flush_file "$2/.$3.$$" && mv -f "$2/.$3.$$" "$2/$3" && flush_folder "$2"
}
runs_cron() {
  [ -d /etc/cron.d ] || return 1
  for process in /proc/[0-9]*; do
    case $(cat "$process/comm" 2>/dev/null) in cron | crond | cronie) ;; *) continue ;; esac
    case $(readlink "$process/exe") in *busybox*) ;; *) return 0 ;; esac
  done
  return 1
}
if [ -d /run/systemd/system ]; then
  place service /etc/systemd/system "$unit.service" || exit 1
  place timer /etc/systemd/system "$unit.timer" || exit 1
  systemctl --no-reload enable "$unit.timer" || exit 1
  flush_folder /etc/systemd/system/timers.target.wants
  if [ "$from" != now ]; then
    systemctl is-enabled "$unit.timer" || exit 1
  else
    systemctl restart "$unit.timer" 2>/dev/null ||
      { systemctl daemon-reload && systemctl restart "$unit.timer"; } || exit 1
    systemctl is-active "$unit.timer" || exit 1
  fi
elif [ "$from" = now ]; then
  if sleeper "$at"; then kill -TERM "-$process" 2>/dev/null; fi
  rm -f sleeper
  setsid sh -c 'cd "$1" && echo $$ >.sleeper && mv -f .sleeper sleeper && sleep "$2" && exec sh "$1/rollback"' \
    fabric-guard "$at" "$seconds" </dev/null >/dev/null 2>&1 &
  for try in 1 2 3 4 5 6 7 8 9 10; do
    [ ! -e sleeper ] || break
    sleep 0.2 2>/dev/null || sleep 1
  done
  sleeper "$at" || { echo "nothing on this node waits to roll it back" >&2; exit 1; }
elif runs_cron; then
  echo "@reboot root sleep $seconds; sh '$at/rollback'" >cron
  place cron /etc/cron.d "$unit" || exit 1
else
  echo "neither systemd nor cron: nothing on this node could roll the change back after a boot" >&2
  exit 1
fi
if revoked "$at" || [ ! -e armed ]; then too_late; fi
)sh";

// Into the folder that the script stands in; the mode and owner are those of the file it restores.
// A timer of this token that fires meanwhile reads the whole of the one or of the other.
std::string put_file(const std::string& name, const remote::step::WriteFile& file) {
  return fmt::format(
      "printf %s {0} >.new.$$ && chmod {1:04o} .new.$$ && chown {2} .new.$$ && "
      "mv -f .new.$$ {3} || exit 1\n",
      remote::quote(file.content),
      file.mode,
      remote::quote(file.owner),
      name);
}

constexpr const char* kSay = R"sh(
say() {
  for state in armed firing rolled-back rollback-failed; do
    if [ -e "$1/$state" ]; then echo "$state"; return; fi
  done
  echo disarmed
}
)sh";

constexpr const char* kDisarm = R"sh(
revoke "$1"
withdraw "$1" "$2"
say "$1"
)sh";

// Behind kFlush and kWithdraw.
std::string withdrawing(const char* script) {
  return fmt::format("{}{}{}{}", kFlush, kWithdraw, kSay, script);
}

constexpr const char* kFire = R"sh(
if [ -e "$1/armed" ] || [ -e "$1/firing" ]; then
  if [ -d /run/systemd/system ]; then
    systemctl start --no-block "$2.service"
  else
    setsid sh "$1/rollback" </dev/null >/dev/null 2>&1 &
  fi
fi
say "$1"
)sh";

constexpr const char* kFind = R"sh(for at in /var/lib/fabric/guard/*; do
  for state in armed firing; do
    if [ -e "$at/$state" ]; then echo "$state ${at##*/} $(cat "$at/$state")"; fi
  done
done)sh";

}  // namespace

remote::Step LinuxRollbackTimer::arm(const GuardOrder& order, const WorkSteps& undo) const {
  std::string script = fmt::format(
      "at={} unit={} from={} seconds={}\n",
      folder(order.token),
      unit(order.token),
      order.across_reboot ? "next-boot" : "now",
      order.timeout.count() / 1000);
  script += fmt::format("{}{}{}", kFlush, kWithdraw, kRefuseOthers);
  std::size_t copies = 0;
  for (const remote::step::WriteFile& write : undo.writes())
    script += put_file(fmt::format("restore-{}", copies++), write);
  script += put_file("rollback", {"", rollback_script(order, undo), 0600});
  script += put_file("service", {"", service_text(order), 0600});
  script += put_file("timer", {"", timer_text(order), 0600});
  script += put_file("ready", {"", order.holder + "\n", 0600});
  script += kStart;
  return remote::step::Run{remote::Command{{"sh"}, std::move(script), kTimeout}, false};
}

bool LinuxRollbackTimer::holds_back(const remote::Step& step) const {
  return remote::has_gate(step) || !remote::is_sent(step);
}

remote::Step LinuxRollbackTimer::while_armed(const std::string& token, remote::Step step) const {
  FABRIC_CHECK(holds_back(step), "a step that the rollback timer can't hold back");
  remote::set_gate(step, folder(token) + "/armed");
  return step;
}

remote::Step LinuxRollbackTimer::disarm(const std::string& token) const {
  return shell(withdrawing(kDisarm), {folder(token), unit(token)}, true);
}

remote::Step LinuxRollbackTimer::fire(const std::string& token) const {
  return shell(fmt::format("{}{}", kSay, kFire), {folder(token), unit(token)}, true);
}

remote::Step LinuxRollbackTimer::ask(const std::string& token) const {
  remote::step::Run run = shell(fmt::format("{}say \"$1\"\n", kSay), {folder(token)}, true);
  run.reads_only = true;
  return run;
}

remote::Step LinuxRollbackTimer::clear(const std::string& token) const {
  return shell(
      withdrawing("revoke \"$1\"\nremove \"$1\" \"$2\"\necho disarmed\n"),
      {folder(token), unit(token)},
      true);
}

GuardState LinuxRollbackTimer::state(const remote::StepResult& result) const {
  const std::string_view word = trim(result.output.standard_output);
  if (word == "armed") return GuardState::armed;
  if (word == "firing") return GuardState::firing;
  if (word == "rolled-back") return GuardState::rolled_back;
  if (word == "rollback-failed") return GuardState::rollback_failed;
  if (word == "disarmed") return GuardState::disarmed;
  return GuardState::unknown;
}

remote::Step LinuxRollbackTimer::find() const {
  return remote::step::Run{.command = {{"sh", "-c", kFind}, {}, kTimeout}, .reads_only = true};
}

std::vector<FoundGuard> LinuxRollbackTimer::found(const remote::StepResult& result) const {
  constexpr std::size_t kTokenLength = 16;
  std::vector<FoundGuard> guards;
  for (const std::string_view line : split_lines(result.output.standard_output)) {
    const auto words = split_words(line);
    // The token goes into commands again.
    if (words.size() < 2 || words[1].size() != kTokenLength || !parse_unsigned(words[1], 16))
      continue;
    const std::size_t at = line.find(words[1]) + kTokenLength;
    guards.push_back(
        {std::string{words[1]}, std::string{trim(line.substr(at))}, words[0] == "firing"});
  }
  return guards;
}

}  // namespace fabric::platform
