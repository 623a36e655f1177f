#include "engine/platform/linux/rollback_timer.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
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

// Every file first, so that a network that comes up again comes up as it was; then the commands.
// A node that goes down while it runs finds `firing` at its next boot and does it again.
std::string rollback_script(const GuardOrder& order, const ActionDraft& undo) {
  std::string script = fmt::format(
      "#!/bin/sh\n"
      "# Written by fabric: rolls back {} unless that is confirmed in time.\n"
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
      "cd {} || exit 1\n"
      "mv armed firing 2>/dev/null || [ -e firing ] || exit 0\n"
      "failed=\n"
      "{}"
      "put_back() {{ cp -p \"$1\" \"$2.fabric-rollback\" && mv -f \"$2.fabric-rollback\" \"$2\" || "
      "failed=yes; }}\n",
      order.holder,
      folder(order.token),
      kStopAction);
  for (std::size_t i = 0; i < undo.undo_writes.size(); ++i)
    script += fmt::format("put_back restore-{} {}\n", i, remote::quote(undo.undo_writes[i].path));
  for (const std::string& path : undo.undo_removes)
    script += fmt::format("rm -f {} || failed=yes\n", remote::quote(path));
  script += "sync\n";
  for (const remote::Argv& argv : undo.undo_commands)
    script += fmt::format("{} || failed=yes\n", remote::command_line(argv));
  script +=
      "if [ -z \"$failed\" ]; then mv firing rolled-back; else mv firing rollback-failed; fi\n";
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

// With $at the own folder.
constexpr const char* kRefuseOthers = R"sh(
for other in /var/lib/fabric/guard/*/armed /var/lib/fabric/guard/*/firing; do
  case $other in "$at/"*) continue ;; esac
  [ -e "$other" ] || continue
  echo "another rollback timer is armed: $other: $(cat "$other")" >&2
  exit 75
done
umask 077
mkdir -p "$at" && cd "$at" || exit 1
)sh";

// With $at the folder, $unit, $from "now" or "next-boot", $seconds. A manager that reads all its
// unit files anew takes seconds on a slow node; one that has never heard of a unit looks for its
// file when it is started, but before systemd 246 not in every case. That a timer is there is read
// back: systemctl has been seen to say nothing and do nothing while the manager was busy.
constexpr const char* kStart = R"sh(
mv ready armed && sync || exit 1
if [ -d /run/systemd/system ]; then
  cp service "/etc/systemd/system/$unit.service" || exit 1
  cp timer "/etc/systemd/system/$unit.timer" || exit 1
  systemctl --no-reload enable "$unit.timer" || exit 1
  if [ "$from" != now ]; then
    systemctl is-enabled "$unit.timer"
  else
    systemctl start "$unit.timer" 2>/dev/null ||
      { systemctl daemon-reload && systemctl start "$unit.timer"; } || exit 1
    systemctl is-active "$unit.timer"
  fi
elif [ "$from" = now ]; then
  setsid sh -c "sleep $seconds; exec sh '$at/rollback'" </dev/null >/dev/null 2>&1 &
elif [ -d /etc/cron.d ]; then
  echo "@reboot root sleep $seconds; sh '$at/rollback'" >"/etc/cron.d/$unit"
else
  echo "neither systemd nor cron: nothing on this node could roll it back after a boot" >&2
  exit 1
fi
)sh";

// Into the folder that the script stands in; the mode and owner are those of the file it restores.
std::string put_file(const std::string& name, const remote::step::WriteFile& file) {
  return fmt::format(
      "printf %s {} >{} && chmod {:04o} {} && chown {} {} || exit 1\n",
      remote::quote(file.content),
      name,
      file.mode,
      name,
      remote::quote(file.owner),
      name);
}

// What is left of a guard, for `disarm` and `clear`: $1 folder, $2 unit.
constexpr const char* kRemove = R"sh(
remove() {
  if [ -e "/etc/systemd/system/$2.timer" ]; then
    systemctl stop "$2.timer" >/dev/null 2>&1
    rm -f "/etc/systemd/system/timers.target.wants/$2.timer" \
      "/etc/systemd/system/$2.timer" "/etc/systemd/system/$2.service"
  fi
  rm -f "/etc/cron.d/$2"
  cd / && rm -rf "$1"
}
)sh";

constexpr const char* kSay = R"sh(
say() {
  for state in armed firing rolled-back rollback-failed; do
    if [ -e "$1/$state" ]; then echo "$state"; return; fi
  done
  echo disarmed
}
)sh";

// The rename decides between this and the timer: only one of them gets the file.
constexpr const char* kDisarm = R"sh(
if [ -d "$1" ]; then
  mv "$1/armed" "$1/disarmed" 2>/dev/null
  if [ -e "$1/disarmed" ] || [ -e "$1/ready" ]; then remove "$1" "$2"; fi
fi
say "$1"
)sh";

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

remote::Step LinuxRollbackTimer::arm(const GuardOrder& order, const ActionDraft& undo) const {
  std::string script = fmt::format(
      "at={} unit={} from={} seconds={}\n",
      folder(order.token),
      unit(order.token),
      order.across_reboot ? "next-boot" : "now",
      order.timeout.count() / 1000);
  script += kRefuseOthers;
  for (std::size_t i = 0; i < undo.undo_writes.size(); ++i)
    script += put_file(fmt::format("restore-{}", i), undo.undo_writes[i]);
  script += put_file("rollback", {"", rollback_script(order, undo), 0600});
  script += put_file("service", {"", service_text(order), 0600});
  script += put_file("timer", {"", timer_text(order), 0600});
  script += put_file("ready", {"", order.holder + "\n", 0600});
  script += kStart;
  return remote::step::Run{remote::Command{{"sh"}, std::move(script), kTimeout}, false};
}

remote::Step LinuxRollbackTimer::while_armed(const std::string& token, remote::Step step) const {
  const std::string gate = folder(token) + "/armed";
  if (auto* run = std::get_if<remote::step::Run>(&step)) run->gate = gate;
  if (auto* write = std::get_if<remote::step::WriteFile>(&step)) write->gate = gate;
  if (auto* removal = std::get_if<remote::step::RemoveFile>(&step)) removal->gate = gate;
  return step;
}

remote::Step LinuxRollbackTimer::disarm(const std::string& token) const {
  return shell(std::string{kRemove} + kSay + kDisarm, {folder(token), unit(token)}, true);
}

remote::Step LinuxRollbackTimer::fire(const std::string& token) const {
  return shell(std::string{kSay} + kFire, {folder(token), unit(token)}, true);
}

remote::Step LinuxRollbackTimer::ask(const std::string& token) const {
  return shell(std::string{kSay} + "say \"$1\"\n", {folder(token)}, true);
}

remote::Step LinuxRollbackTimer::clear(const std::string& token) const {
  return shell(
      std::string{kRemove} + "remove \"$1\" \"$2\"\necho disarmed\n",
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
  return remote::step::Run{remote::Command{{"sh", "-c", kFind}, {}, kTimeout}, false};
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
