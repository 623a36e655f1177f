# SPDX-License-Identifier: Apache-2.0
# `$1` PCI function, `$2` dev_port (from 0 within the function), `$3` type (ARPHRD_ETHER or
# ARPHRD_INFINIBAND).
interfaces=
for d in "/sys/bus/pci/devices/$1/net/"*; do
  case ${d##*/} in *.*) continue ;; esac
  case $(cat "$d/phys_port_name" 2>/dev/null) in *vf* | *sf*) continue ;; esac
  [ "$(cat "$d/dev_port" 2>/dev/null) $(cat "$d/type" 2>/dev/null)" = "$2 $3" ] || continue
  interfaces="$interfaces ${d##*/}"
done
