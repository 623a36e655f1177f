# SPDX-License-Identifier: Apache-2.0
# Parameters of what is built in are left out: there are hundreds, and modprobe has no say.
# shellcheck disable=SC2086 # a list of words
read -r release </proc/sys/kernel/osrelease
[ -f "/lib/modules/$release/modules.builtin" ] &&
  sed 's/^.*\///; s/\.ko.*$//; s/^/builtin /' "/lib/modules/$release/modules.builtin"
[ -f /proc/modules ] || exit 0
files=
while read -r name rest; do
  echo "loaded $name"
  for p in /sys/module/"$name"/parameters/*; do
    [ -f "$p" ] && files="$files $p"
  done
done </proc/modules
if [ -n "$files" ]; then
  set -f
  stat -c 'mode %a %n' $files
  grep -s -H '' $files
fi
exit 0
