# SPDX-License-Identifier: Apache-2.0
# systemctl's columns are words. A port without a LID has heard of nobody, and asking would take
# its time for nothing. Of the log the last line of routing comes by itself, behind the errors that
# stand before it: however many errors came since, it is what counts. `opensm -c` writes its
# options and ends, with what /etc/opensm/opensm.conf says of them unless another file is named:
# with an empty one they are its defaults. Keys of the subnet stay where they are. The last part of
# a process's control group is its unit, whatever the unit is called.
# shellcheck disable=SC2034 # columns
. say.sh
for t in opensm sminfo; do
  command -v $t >/dev/null 2>&1 && echo "tool $t"
done
command -v opensm >/dev/null 2>&1 &&
  timeout 10 opensm -F /dev/null -c /dev/stdout 2>/dev/null </dev/null |
  grep '^[a-z]' | grep -v '^[a-z0-9_]*_key ' | say option
for p in $(pidof opensm 2>/dev/null); do
  arguments=$(tr '\0' ' ' <"/proc/$p/cmdline") 2>/dev/null
  case $arguments in '' | *--config\ /etc/opensm/fabric-*) ;; *)
    unit=$(sed -nE 's|^[0-9]+:(name=systemd)?:(.*/)||p' "/proc/$p/cgroup" 2>/dev/null | head -n 1)
    echo "process-of ${unit:--} $arguments"
    ;;
  esac
done
[ ! -e /run/systemd/system ] ||
  systemctl list-units --all --plain --no-legend --no-pager 'fabric-opensm-*' 'opensm*' 2>/dev/null |
  while read -r unit load active sub rest; do echo "unit $unit $active $sub"; done
for p in /sys/class/infiniband/*/ports/*; do
  [ -r "$p/link_layer" ] || continue
  read -r layer <"$p/link_layer"
  [ "$layer" = InfiniBand ] || continue
  d=${p#/sys/class/infiniband/}; n=${p##*/}; d=${d%%/*}
  state= lid= sm= lmc= gid=
  { read -r state <"$p/state"; read -r lid <"$p/lid"; read -r sm <"$p/sm_lid"; } 2>/dev/null
  { read -r lmc <"$p/lid_mask_count"; read -r gid <"$p/gids/0"; } 2>/dev/null
  echo "port $d $n ${state#*: }"
  [ -z "$lmc$gid" ] || echo "subnet $d $n ${lmc:--} ${gid:--}"
  command -v sminfo >/dev/null 2>&1 || continue
  case $sm in ''|0x0|0|0xffff) ;; *) timeout 10 sminfo -C "$d" -P "$n" -t 500 2>&1 | sed "s/^/master $d $n /" ;; esac
  case $lid in ''|0x0|0|0xffff) ;; *) timeout 10 sminfo -C "$d" -P "$n" -t 500 "$lid" 2>&1 | sed "s/^/own $d $n /" ;; esac
done
for f in /var/log/opensm.fabric-*.log; do
  [ -f "$f" ] || continue
  n=${f#/var/log/opensm.fabric-}
  tail -c 10000000 "$f" | grep -e 'Entering .* state' -e 'Exiting SM' | tail -n 1 | sed "s/^/log ${n%.log} /"
  r=$(tail -c 10000000 "$f" |
    grep -n -e 'tables configured on all switches' -e 'No routing engine able' | tail -n 1)
  [ -n "$r" ] || continue
  tail -c 10000000 "$f" | head -n "$((${r%%:*} - 1))" |
    grep -e 'tables configured on all switches' -e 'No routing engine able' -e ': ERR ' |
    tail -n 8 | sed "s/^/log ${n%.log} /"
  printf 'log %s %s\n' "${n%.log}" "${r#*:}"
done
exit 0
