# SPDX-License-Identifier: Apache-2.0
# Rules, then the tables that they or files of ours name, and no others: a host may have a
# million of routes. One port's routes are in the tables of the others too, whose rules may
# be still to come. Of the tables of others those are shown that a person may have written.
# shellcheck disable=SC2086 # a list of words
rules=$(ip -j -4 rule show 2>/dev/null) || exit 0
printf '%s\n' "$rules"
tables=
theirs=
while :; do
  case $rules in *'"priority":'*) ;; *) break ;; esac
  rules=${rules#*'"priority":'}
  rule=${rules%%'}'*}
  case $rule in *'"table":"'[0-9]*) ;; *) continue ;; esac
  table=${rule#*'"table":"'}
  table=${table%%'"'*}
  case $rule-$table in
    4*-4[0-9][0-9][0-9]) tables="$tables $table" ;;
    *) theirs="$theirs $table" ;;
  esac
done
set --
for f in /etc/systemd/network/10-fabric-*.network /etc/network/interfaces.d/fabric-*; do
  [ -f "$f" ] && set -- "$@" "$f"
done
[ $# -eq 0 ] ||
  tables="$tables $(sed -n 's/.*able[= ]\(4[0-9][0-9][0-9]\).*/\1/p' "$@")"
# $1 table, $2 the line that its routes must not reach, or nothing.
show() {
  case " $seen " in *" $1 "*) return ;; esac
  seen="$seen $1"
  [ -z "$2" ] || [ -z "$(ip -4 route show table "$1" 2>/dev/null | sed -n -e "${2}p" -e "${2}q")" ] || return
  routes=$(ip -j -4 route show table "$1" 2>/dev/null) || routes='[]'
  printf '[{"table":%s,"routes":%s}]\n' "$1" "$routes"
}
seen=
for t in $tables; do show "$t" ''; done
seen=
for t in $theirs; do show "$t" 201; done
six=$(ip -j -6 rule show 2>/dev/null)
case $six in
  *'"table":"'[0-9]* | *'if":"'*) printf '[{"ipv6_rules":%s}]\n' "$six" ;;
esac
exit 0
