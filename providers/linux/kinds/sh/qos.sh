# SPDX-License-Identifier: Apache-2.0
# What sets a port; what it sets stands in variables, in a file of /etc/fabric before it. The tool of the vendor's drivers
# where it is there: dcb knows their tables only in part. A port whose interface is there has its RDMA device a moment later.
# shellcheck disable=SC2154 # variables that are set before
# shellcheck disable=SC2086 # lists of words
# shellcheck disable=SC2231 # a pattern
# shellcheck disable=SC2034 # a number of attempts
status=0
flags=
other=none
for p in 0 1 2 3 4 5 6 7; do
  case " $pfc " in *" $p "*) flags=$flags,1 ;; *) flags=$flags,0 ;; esac
done
on=
for p in $pfc; do [ "$p" = none ] || on="$on $p:on"; done
for d in "/sys/bus/pci/devices/$function/net"/*; do
  i=${d##*/}
  case $i in *.*) continue ;; esac
  case $(cat "$d/phys_port_name" 2>/dev/null) in *vf* | *sf*) continue ;; esac
  [ "$(cat "$d/dev_port" 2>/dev/null) $(cat "$d/type" 2>/dev/null)" = "$dev_port 1" ] || continue
  # A slave may be of a RoCE LAG, whose one RDMA device is at the other function of the card.
  [ ! -d "$d/master/bonding" ] || other="${function%.*}.*"
  if command -v mlnx_qos >/dev/null 2>&1; then
    [ "$dcbx" != os ] || mlnx_qos -i "$i" -d os >/dev/null
    [ -z "$trust" ] || mlnx_qos -i "$i" --trust "$trust" >/dev/null || status=1
    [ -z "$pfc" ] || mlnx_qos -i "$i" --pfc "${flags#,}" >/dev/null || status=1
    for pair in $map; do
      mlnx_qos -i "$i" --dscp2prio "set,${pair%:*},${pair#*:}" >/dev/null || status=1
    done
    [ "$dcbx" != firmware ] || mlnx_qos -i "$i" -d fw >/dev/null
  else
    [ "$dcbx" != os ] || dcb dcbx set dev "$i" host ieee
    [ "$trust" != pcp ] || dcb app flush dev "$i" dscp-prio || status=1
    [ -z "$pfc" ] || dcb pfc set dev "$i" prio-pfc all:off $on || status=1
    [ -z "$map" ] || dcb app replace dev "$i" dscp-prio $map || status=1
    [ "$dcbx" != firmware ] || dcb dcbx set dev "$i" ieee
  fi
  for side in np rp; do
    for pair in $ecn; do
      f=$d/ecn/roce_$side/enable/${pair%:*}
      [ ! -e "$f" ] || echo "${pair#*:}" >"$f" || status=1
    done
  done
  f=$d/ecn/roce_np/cnp_dscp
  [ -z "$cnp_dscp" ] || [ ! -e "$f" ] || echo "$cnp_dscp" >"$f" || status=1
done
[ -n "$tos" ] || exit $status
modprobe -q rdma_cm
for n in 1 2 3 4 5 6 7 8 9 10; do
  for d in "/sys/bus/pci/devices/$function/infiniband"/* /sys/bus/pci/devices/$other/infiniband/*; do
    [ -e "$d/ports/$device_port" ] || continue
    c=/sys/kernel/config/rdma_cm/${d##*/}
    [ -d "$c" ] || mkdir "$c" || status=1
    echo "$tos" >"$c/ports/$device_port/default_roce_tos" || status=1
    for f in "$d"/tc/*/traffic_class; do
      [ ! -e "$f" ] || [ -z "$(cat "$f")" ] || echo "$tos" >"$f" || status=1
    done
    exit $status
  done
  sleep 1
done
echo "the port has no RDMA device" >&2
exit 1
