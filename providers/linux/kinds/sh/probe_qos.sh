# SPDX-License-Identifier: Apache-2.0
for d in /sys/class/net/*; do
  [ -r "$d/device/vendor" ] || continue
  read -r vendor <"$d/device/vendor"
  read -r type <"$d/type"
  [ "$vendor $type" = "0x15b3 1" ] || continue
  i=${d##*/}
  echo "== interface $i"
  if command -v mlnx_qos >/dev/null 2>&1; then
    echo "== mlnx_qos"
    timeout 20 mlnx_qos -i "$i" 2>&1
  elif command -v dcb >/dev/null 2>&1; then
    echo "== dcbx"
    dcb dcbx show dev "$i" 2>&1
    echo "== pfc"
    dcb pfc show dev "$i" 2>&1
    echo "== app"
    dcb -N app show dev "$i" 2>&1
  fi
  for side in np rp; do
    for f in "$d/ecn/roce_$side/enable"/*; do
      [ -e "$f" ] || continue
      read -r value <"$f"
      echo "== ecn ${f##*/} $value"
    done
  done
  f=$d/ecn/roce_np/cnp_dscp
  [ -e "$f" ] || continue
  read -r value <"$f"
  echo "== cnp_dscp $value"
done
for d in /sys/class/infiniband/*; do
  n=${d##*/}
  for f in "$d"/tc/*/traffic_class; do
    [ -e "$f" ] && echo "== class $n $(cat "$f")"
  done
  for f in "/sys/kernel/config/rdma_cm/$n/ports"/*/default_roce_tos; do
    p=${f%/*}
    [ -e "$f" ] && echo "== tos $n ${p##*/} $(cat "$f")"
  done
done
exit 0
