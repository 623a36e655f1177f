# SPDX-License-Identifier: Apache-2.0
# $1 the unit of an OpenSM that is master, $2 its file of options, $3 how many seconds a standby may take, $4 how many the
# manager may take to be master again: 0 where the document does not want that.
# shellcheck disable=SC2016 # a script of its own
LC_ALL=C
export LC_ALL
PATH=$PATH:/usr/sbin:/sbin
unit=$1 options=$2 most=$3 again=$4
untested() { echo "fabric-untested $1"; exit 0; }
command -v sminfo >/dev/null 2>&1 || untested "sminfo is not installed (infiniband-diags)"
guid=$(sed -n 's/^guid  *0x0*//p' "$options" 2>/dev/null)
device=
for d in $(ibstat -l 2>/dev/null); do
  n=0
  for g in $(ibstat -p "$d" 2>/dev/null); do
    n=$((n + 1))
    [ "$(echo "$g" | sed 's/^0x0*//')" = "$guid" ] || continue
    device=$d number=$n
  done
done
[ -n "$device" ] || untested "no port has the GUID 0x$guid of $options"
# "sminfo: sm lid 1 sm guid 0x2c9030000001, activity count 7 priority 14 state 3 SMINFO_MASTER" of the manager that the port
# was told of; nothing while that one does not answer.
master() {
  said=$(sminfo -C "$device" -P "$number" -t 300 2>/dev/null)
  case $said in *SMINFO_MASTER*) ;; *) return 1 ;; esac
  said=${said#*sm guid 0x}
  heard=$(echo "${said%%,*}" | sed 's/^0*//')
}
is_here() { master && [ "$heard" = "$guid" ]; }
systemctl is-active --quiet "$unit" || untested "$unit does not run"
is_here || untested "the manager of $unit is not master"
seconds() { read -r up rest </proc/uptime && echo "${up%%.*}"; }
# It starts again also if this session ends, or hangs.
nohup sh -c 'while [ "$2" -gt 0 ] && kill -0 "$3"; do sleep 2; set -- "$1" $(($2 - 2)) "$3"; done
  systemctl is-active --quiet "$1" || systemctl start "$1"' fabric "$unit" $((most + 60)) $$ >/dev/null 2>&1 </dev/null &
begun=$(seconds)
systemctl stop "$unit"
systemctl is-active --quiet "$unit" && untested "$unit could not be stopped"
while [ $(($(seconds) - begun)) -lt "$most" ]; do
  if master && [ "$heard" != "$guid" ]; then
    echo "fabric-taken $(($(seconds) - begun)) 0x$heard"
    break
  fi
  sleep 0.5
done
systemctl start "$unit"
systemctl is-active --quiet "$unit" || echo fabric-stays-down
begun=$(seconds)
while [ $(($(seconds) - begun)) -lt "$again" ]; do
  is_here && { echo "fabric-again $(($(seconds) - begun))"; break; }
  sleep 1
done
echo fabric-end
exit 0
