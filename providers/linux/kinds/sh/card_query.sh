# SPDX-License-Identifier: Apache-2.0
# Asks function 0 of each Mellanox card: what is asked belongs to the card, not to a port. A query that hangs on a sick card
# must not take the other probes with it. $tools: names or paths, the first that is there is $tool. `prepare` runs once.
# `query` runs for each card, whose folder in sysfs is $d, and ends with the command that asks, behind $limit; for one that
# must not be asked it says why in $refusal.
# shellcheck disable=SC2154,SC2034 # the script sets $tools, and uses $limit
tool=
for t in $tools; do
  if command -v "$t" >/dev/null 2>&1; then tool=$t; break; fi
done
[ -n "$tool" ] || exit 0
echo "== tool $tool"
lockdown=
[ ! -r /sys/kernel/security/lockdown ] || read -r lockdown </sys/kernel/security/lockdown
case $lockdown in
  '' | *'[none]'*) ;;
  *) echo "== lockdown $lockdown" ;;
esac
prepare
limit=
if timeout 1 true 2>/dev/null; then limit='timeout 30'; fi
for d in /sys/bus/pci/devices/*.0; do
  [ -r "$d/vendor" ] || continue
  read -r vendor <"$d/vendor"
  [ "$vendor" = 0x15b3 ] || continue
  [ ! -e "$d/physfn" ] || continue
  read -r class <"$d/class"
  case $class in 0x02*|0x0c06*) ;; *) continue ;; esac
  echo "== card ${d##*/}"
  refusal=
  query
  printf '\n== status %s\n' "${refusal:-$?}"
done
exit 0
