# SPDX-License-Identifier: Apache-2.0
# 0x02: network controllers, 0x0c06: InfiniBand controllers; the vendor also makes bridges.
for d in /sys/bus/pci/devices/*; do
  [ -r "$d/vendor" ] || continue
  read -r vendor <"$d/vendor"
  [ "$vendor" = 0x15b3 ] || continue
  read -r class <"$d/class"
  case $class in 0x02*|0x0c06*) ;; *) continue ;; esac
  grep -s -H . "$d/device" "$d/class" "$d/subsystem_vendor" "$d/subsystem_device" \
    "$d/current_link_speed" "$d/current_link_width" "$d/max_link_speed" "$d/max_link_width" \
    "$d/sriov_totalvfs" "$d/sriov_numvfs" "$d/mlx4_port1" "$d/mlx4_port2"
  [ -e "$d/driver" ] && driver=$(readlink "$d/driver") && echo "$d/driver:${driver##*/}"
  if [ -e "$d/physfn" ]; then
    port=yes
    cd -P "$d/physfn" && port=${PWD##*/}
    echo "$d/physfn:$port"
    for n in "$d"/net/*; do [ -d "$n" ] && echo "$n/is:there"; done
    continue
  fi
  if [ -r "$d/vpd" ]; then
    vpd=$(od -An -v -tx1 -N 1024 "$d/vpd" | tr -d ' \n')
    echo "$d/vpd:$vpd"
  fi
  for n in "$d"/net/*; do
    [ -d "$n" ] || continue
    grep -s -H . "$n/type" "$n/address" "$n/mtu" "$n/dev_port"
    id= place= index= parent=
    [ ! -r "$n/phys_switch_id" ] || read -r id <"$n/phys_switch_id"
    [ ! -r "$n/phys_port_name" ] || read -r place <"$n/phys_port_name"
    case $id-$place in -|-p[0-9]*) ;; *) echo "$n/phys_switch_id:$id"; echo "$n/phys_port_name:$place" ;; esac
    [ ! -r "$n/ifindex" ] || read -r index <"$n/ifindex"
    [ ! -r "$n/iflink" ] || read -r parent <"$n/iflink"
    case $parent in ''|"$index") ;; *) echo "$n/iflink:$parent" ;; esac
    [ -e "$n/master" ] && master=$(readlink "$n/master") && echo "$n/master:${master##*/}"
    echo "$n/ethtool-permanent:$(ethtool -P "${n##*/}")"
    echo "$n/ethtool-driver:$(ethtool -i "${n##*/}" | grep '^firmware-version:')"
  done
  for i in "$d"/infiniband/*; do
    [ -d "$i" ] || continue
    grep -s -H . "$i/node_guid" "$i/sys_image_guid" "$i/fw_ver" "$i/board_id" "$i/hca_type" \
      "$i/ports/1/link_layer" "$i/ports/2/link_layer" "$i/ports/1/gids/0" "$i/ports/2/gids/0"
  done
done 2>/dev/null
exit 0
