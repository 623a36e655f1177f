# SPDX-License-Identifier: Apache-2.0
# `$4` the name. The kernel renames only what is down, and counts alternative names, of which
# systemd gives a port its former one. Another port of the card may have the name, and gives it
# back when its own turn comes; what is no port of it keeps its name. No such port: a failure.
. port_interface.sh
for now in $interfaces; do
  [ "$now" != "$4" ] || exit 0
  if [ -e "/sys/class/net/$4" ]; then
    case $(readlink -f "/sys/class/net/$4/device") in *"/${1%.*}."*) ;; *) exit 1 ;; esac
    ip link set dev "$4" down
    ip link set dev "$4" name "back$$"
  fi
  ip link property del dev "$now" altname "$4" 2>/dev/null
  ip link set dev "$now" down
  ip link set dev "$now" name "$4" && now=$4
  ip link set dev "$now" up
  [ "$now" = "$4" ]
  exit
done
exit 1
