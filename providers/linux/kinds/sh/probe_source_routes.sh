# SPDX-License-Identifier: Apache-2.0
# Rules, then the tables that they or files of ours name, and no others: a host may have a
# million of routes. One port's routes are in the tables of the others too, whose rules may
# be still to come.
# shellcheck disable=SC2086 # a list of words
rules=$(ip -j -4 rule show 2>/dev/null) || exit 0
printf '%s\n' "$rules"
tables=
while :; do
  case $rules in *'{"priority":4'*) ;; *) break ;; esac
  rules=${rules#*'{"priority":4'}
  rule=${rules%%'}'*}
  case $rule in *'"table":"4'[0-9][0-9][0-9]'"'*) ;; *) continue ;; esac
  rule=${rule#*'"table":"'}
  tables="$tables ${rule%%'"'*}"
done
set --
for f in /etc/systemd/network/10-fabric-*.network /etc/network/interfaces.d/fabric-*; do
  [ -f "$f" ] && set -- "$@" "$f"
done
[ $# -eq 0 ] ||
  tables="$tables $(sed -n 's/.*able[= ]\(4[0-9][0-9][0-9]\).*/\1/p' "$@")"
[ -z "$tables" ] || tables=$(printf '%s\n' $tables | sort -u)
for t in $tables; do
  routes=$(ip -j -4 route show table "$t" 2>/dev/null) || routes='[]'
  printf '[{"table":%s,"routes":%s}]\n' "$t" "$routes"
done
exit 0
