# SPDX-License-Identifier: Apache-2.0
# $1 the own folder, $2 the unit, $3 "now" or "next-boot", $4 seconds; calls of put_file NAME MODE OWNER CONTENT follow, and
# `start`.
#
# What stands there of an arming that was cut short, or of a disarming, is nobody's: the node belongs to one run.
#
# put_file: into the folder that the script stands in; the mode and owner are those of the file it restores. A timer of this
# token that fires meanwhile reads the whole of the one or of the other.
#
# start: the same order may come twice, when the answer to the first was lost: what has been armed once is not armed again,
# for it may have fired meanwhile. A manager that reads all its unit files anew takes seconds on a slow node; one that has
# never heard of a unit looks for its file when it is started, but before systemd 246 not in every case. That a timer is
# there is read back: systemctl has been seen to say nothing and do nothing while the manager was busy. Not every cron knows
# the line it is given (E-cron-reboot).
# shellcheck disable=SC2016 # a script of its own
# shellcheck disable=SC2034 # a number of attempts
at=$1 unit=$2 from=$3 seconds=$4
. flush.sh
. guard_withdraw.sh
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
put_file() {
  printf %s "$4" >.new.$$ && chmod "$2" .new.$$ && chown "$3" .new.$$ && mv -f .new.$$ "$1" || exit 1
}
start() {
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
}
