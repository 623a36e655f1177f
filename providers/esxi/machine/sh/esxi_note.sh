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
note() {
  [ "$(noted)" = "$1" ] && return 0
  [ -n "$(noted)" ] || esxcli system settings advanced add -k "$note" -t string -s none -d "$about"
  esxcli system settings advanced set -o "/UserVars/$note" -s "$1"
  [ "$(noted)" = "$1" ] || { echo "/UserVars/$note can't be set to $1"; exit 1; }
  auto-backup.sh >/dev/null 2>&1 || { echo 'auto-backup.sh failed'; exit 1; }
}
