# SPDX-License-Identifier: Apache-2.0
# What tuning of a network touches, not all of /proc/sys: on a host with many interfaces that is
# a megabyte, and some of its files change with every reading. Their names have no spaces; a
# shell copies its positional parameters each time that one is added.
# shellcheck disable=SC2086 # a list of words
files= count=0
show() { set -f; grep -s -H . $files; set +f; files= count=0; }
for i in /proc/sys/net/ipv4/conf/*; do
  case $i in
    */all|*/default) set -- "$i"/* ;;
    *) set -- "$i/accept_local" "$i/arp_ignore" "$i/arp_announce" "$i/forwarding" \
      "$i/ignore_routes_with_linkdown" "$i/rp_filter" ;;
  esac
  files="$files $*" count=$((count + $#))
  [ "$count" -lt 1000 ] || show
done
for f in /proc/sys/net/core/* /proc/sys/net/ipv4/* /proc/sys/net/ipv4/neigh/default/* \
  /proc/sys/net/ipv6/conf/all/* /proc/sys/net/ipv6/conf/default/* /proc/sys/vm/swappiness \
  /proc/sys/vm/min_free_kbytes /proc/sys/vm/zone_reclaim_mode /proc/sys/kernel/numa_balancing; do
  case $f in *_key | *_secret) ;; *) files="$files $f" ;; esac
done
[ -z "$files" ] || show
exit 0
