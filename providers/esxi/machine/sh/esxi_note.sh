# SPDX-License-Identifier: Apache-2.0
# Functions for a script that has set $note, the name of an advanced setting of fabric's own, and
# $about, its description. esxcli ends with 0 or 1 whatever happened (E-esxcli-errors): each script
# looks at what came of it. What a shell that is no login finds is made sure of (E-esxi-path).
# shellcheck disable=SC2154 # the script sets $note and $about
PATH=$PATH:/bin:/sbin
noted() {
  esxcli --formatter=keyvalue system settings advanced list -o "/UserVars/$note" 2>&1 |
    sed -n 's/^.*[.]StringValue[.]string=//p'
}
# "none" takes the setting away; where the host keeps it, its text says so.
note() {
  now=$(noted)
  [ "${now:-none}" = "$1" ] && return 0
  if [ "$1" = none ]; then
    esxcli system settings advanced remove -o "/UserVars/$note" >/dev/null 2>&1
  elif [ -z "$now" ]; then
    esxcli system settings advanced add -k "$note" -t string -s none -d "$about"
  fi
  [ "$1$(noted)" = none ] || esxcli system settings advanced set -o "/UserVars/$note" -s "$1"
  now=$(noted)
  [ "${now:-none}" = "$1" ] || { echo "/UserVars/$note can't be set to $1"; exit 1; }
  auto-backup.sh >/dev/null 2>&1 || { echo 'auto-backup.sh failed'; exit 1; }
}
