# SPDX-License-Identifier: Apache-2.0
for d in /sys/class/net/*; do
  [ -e "$d/device" ] || continue
  echo "netdev ${d##*/}"
  cd -P "$d/device" && echo "pci $PWD"
  for f in address dev_port operstate carrier speed mtu; do
    value=
    [ ! -r "$d/$f" ] || read -r value <"$d/$f"
    echo "$f $value"
  done
  id= place=
  [ ! -r "$d/phys_switch_id" ] || read -r id <"$d/phys_switch_id"
  [ ! -r "$d/phys_port_name" ] || read -r place <"$d/phys_port_name"
  case $id-$place in -|-p[0-9]*) ;; *) echo "phys_switch_id $id"; echo "phys_port_name $place" ;; esac
done 2>/dev/null
exit 0
