# SPDX-License-Identifier: Apache-2.0
# What another OpenSM of the node reads: $foreign are its files and those that its options name,
# $missing are those of them that are not there.
foreign=
missing=
configs=
for p in $(pidof opensm 2>/dev/null); do
  before=
  for w in $(tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null); do
    case $before in -F | --config) configs="$configs $w" ;; esac
    case $w in --config=*) configs="$configs ${w#--config=}" ;; esac
    before=$w
  done
done
for f in /etc/opensm/opensm.conf /etc/rdma/opensm.conf /etc/rdma/opensm.conf.* $configs; do
  case "$f $foreign " in /etc/opensm/fabric-* | *" $f "*) continue ;; esac
  [ -f "$f" ] || continue
  foreign="$foreign $f"
  while read -r key path rest || [ -n "$key" ]; do
    case $key in partition_config_file | root_guid_file | io_guid_file) ;; *) continue ;; esac
    case $path in
      /etc/opensm/fabric-*) ;;
      /*) missing="$missing $path" ;;
    esac
  done <"$f"
done
named=$missing
missing=
for f in /etc/opensm/partitions.conf /etc/rdma/partitions.conf /etc/default/opensm \
  /etc/sysconfig/opensm $named; do
  case " $foreign $missing " in *" $f "*) continue ;; esac
  if [ -f "$f" ]; then foreign="$foreign $f"; else missing="$missing $f"; fi
done
