# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2086 # a list of words
files= count=0
show() { set -f; grep -s -H . $files; set +f; files= count=0; }
for n in /sys/class/net/*; do
  [ -d "$n" ] || continue
  for f in type mtu mode pkey parent bonding/mode bonding/slaves bonding/miimon bonding/updelay \
    bonding/downdelay bonding/xmit_hash_policy bonding/lacp_rate bonding/ad_select \
    bonding/min_links bonding/primary bonding/active_slave; do
    [ -r "$n/$f" ] && files="$files $n/$f" count=$((count + 1))
  done
  [ -e "$n/master" ] && cd -P "$n/master" && echo "$n/master:${PWD##*/}"
  [ "$count" -lt 1000 ] || show
done 2>/dev/null
[ -z "$files" ] || show
set --
for f in /proc/net/bonding/* /proc/net/vlan/config; do
  [ -r "$f" ] && set -- "$@" "$f"
done
[ $# -eq 0 ] || grep -s -H '' "$@"
told=$(tc qdisc show 2>/dev/null)
case $told in
  *' ffff: dev '*)
    printf '%s\n' "$told" |
      sed -n 's|^qdisc \([a-z]*\) ffff: dev \([^ ]*\) .*|/sys/class/net/\2/tc:\1|p'
    ;;
esac
exit 0
