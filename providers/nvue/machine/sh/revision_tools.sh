# SPDX-License-Identifier: Apache-2.0
# $1 is the folder of the token. Files in it: `armed` (the holder), `until` (seconds since the
# boot), `boot` (of which boot), `before` (what was in force, as a sum), `applying` (an apply was
# begun), `confirmed`, `fired`. A rollback that has begun shows no revision that waits, and not yet
# what was in force before: only time tells it from a confirmation whose answer was lost. A boot
# ends all that waits, and can bring back less than was in force before, if that was not saved.
#
# `waiting` prints the revision that waits for its confirmation: the first two words of a row of
# the table are its id and its state (E-nvue-revisions).
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
