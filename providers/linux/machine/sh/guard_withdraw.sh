# SPDX-License-Identifier: Apache-2.0
# $1 folder, $2 unit. `revoke` says that nobody arms the timer of this token any more: an arming
# that was sent before may still be on its way, and nobody would wait for that timer. Nothing is on
# its way any longer after a boot, so the mark goes with it. `withdraw` disarms: the rename decides
# between it and the timer, only one of them gets the file. The folder goes last, so that whoever
# comes after a power cut finds what else is left by it.
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
