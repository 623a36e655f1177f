#include "engine/execute/guard_node.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::execute {

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

// Every file first, so that a network that comes up again comes up as it was; then the commands.
// A node that goes down while it runs finds `firing` at its next boot and does it again.
std::string rollback_script(const GuardOrder& order, const ActionDraft& undo) {
  std::string script = fmt::format(
      "#!/bin/sh\n"
      "# Written by fabric: takes back {} unless that is confirmed in time.\n"
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
      "cd {} || exit 1\n"
      "mv armed firing 2>/dev/null || [ -e firing ] || exit 0\n"
      "failed=\n"
      "put_back() {{ cp -p \"$1\" \"$2.fabric-rollback\" && mv -f \"$2.fabric-rollback\" \"$2\" || "
      "failed=yes; }}\n",
      order.holder,
      folder(order.token));
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
      "# managed by fabric\n[Unit]\nDescription=Take back {} of fabric\n\n"
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

// $1 the folder of all guards, $2 the own token
constexpr const char* kRefuseOthers = R"sh(
for other in "$1"/*/armed "$1"/*/firing; do
  case $other in "$1/$2/"*) continue ;; esac
  [ -e "$other" ] || continue
  echo "another rollback timer is armed: $other: $(cat "$other")" >&2
  exit 75
done
)sh";

// $1 folder, $2 unit, $3 "now" or "next-boot", $4 seconds. That a timer is there is read back:
// systemctl has been seen to say nothing and do nothing while the manager reloads.
constexpr const char* kStart = R"sh(
cd "$1" || exit 1
mkdir -p /var/lib/fabric && mv ready armed 2>/dev/null || [ -e armed ] || exit 1
sync
if [ -d /run/systemd/system ]; then
  cp "$1/service" "/etc/systemd/system/$2.service" || exit 1
  cp "$1/timer" "/etc/systemd/system/$2.timer" || exit 1
  systemctl daemon-reload || exit 1
  if [ "$3" = now ]; then
    systemctl enable --now "$2.timer" || exit 1
    systemctl is-active "$2.timer"
  else
    systemctl enable "$2.timer" || exit 1
    systemctl is-enabled "$2.timer"
  fi
elif [ "$3" = now ]; then
  setsid sh -c "sleep $4; exec sh '$1/rollback'" </dev/null >/dev/null 2>&1 &
elif [ -d /etc/cron.d ]; then
  echo "@reboot root sleep $4; sh '$1/rollback'" >"/etc/cron.d/$2"
else
  echo "neither systemd nor cron: nothing on this node could take it back after a boot" >&2
  exit 1
fi
)sh";

// What is left of a guard, for `disarm` and `clear`: $1 folder, $2 unit.
constexpr const char* kRemove = R"sh(
remove() {
  if [ -e "/etc/systemd/system/$2.timer" ]; then
    systemctl disable --now "$2.timer" >/dev/null 2>&1
    rm -f "/etc/systemd/system/$2.timer" "/etc/systemd/system/$2.service"
    systemctl daemon-reload >/dev/null 2>&1
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

}  // namespace

std::vector<remote::Step> arming_steps(const GuardOrder& order, const ActionDraft& undo) {
  const std::string at = folder(order.token);
  std::vector<remote::Step> steps;
  steps.emplace_back(shell(kRefuseOthers, {kGuards, order.token}, false));
  for (std::size_t i = 0; i < undo.undo_writes.size(); ++i) {
    remote::step::WriteFile copy = undo.undo_writes[i];
    copy.path = fmt::format("{}/restore-{}", at, i);
    steps.emplace_back(std::move(copy));
  }
  const auto file = [&](const char* name, std::string content) {
    steps.emplace_back(
        remote::step::WriteFile{fmt::format("{}/{}", at, name), std::move(content), 0600});
  };
  file("rollback", rollback_script(order, undo));
  file("service", service_text(order));
  file("timer", timer_text(order));
  file("ready", order.holder + "\n");
  steps.emplace_back(shell(
      kStart,
      {at,
       unit(order.token),
       order.across_reboot ? "next-boot" : "now",
       fmt::format("{}", order.timeout.count() / 1000)},
      false));
  return steps;
}

remote::Step disarm_step(const std::string& token) {
  return shell(std::string{kRemove} + kSay + kDisarm, {folder(token), unit(token)}, true);
}

remote::Step fire_step(const std::string& token) {
  return shell(std::string{kSay} + kFire, {folder(token), unit(token)}, true);
}

remote::Step ask_step(const std::string& token) {
  return shell(std::string{kSay} + "say \"$1\"\n", {folder(token)}, true);
}

remote::Step clear_step(const std::string& token) {
  return shell(
      std::string{kRemove} + "remove \"$1\" \"$2\"\necho disarmed\n",
      {folder(token), unit(token)},
      true);
}

GuardState guard_state(const remote::CommandOutput& output) {
  const std::string_view word = trim(output.standard_output);
  if (word == "armed") return GuardState::armed;
  if (word == "firing") return GuardState::firing;
  if (word == "rolled-back") return GuardState::rolled_back;
  if (word == "rollback-failed") return GuardState::rollback_failed;
  if (word == "disarmed") return GuardState::disarmed;
  return GuardState::unknown;
}

}  // namespace fabric::execute
