# SPDX-License-Identifier: Apache-2.0
# One grep a tree: a fork for every file would take seconds on a host with many functions. An empty
# GID is no GID; reading the type of one fails, as it should.
# shellcheck disable=SC2035 # folders of the kernel, none begins with a dash
LC_ALL=C; export LC_ALL
PATH=$PATH:/usr/sbin:/sbin
echo fabric-ports
for t in ib_send_bw iperf3; do
  command -v $t >/dev/null 2>&1 && echo "$t/tool:yes"
done
cd /sys/class/net 2>/dev/null && grep -sH . */carrier_changes */carrier_down_count \
  */statistics/rx_errors */statistics/tx_errors */statistics/rx_crc_errors \
  */statistics/rx_frame_errors */statistics/rx_length_errors */statistics/tx_carrier_errors 2>/dev/null
for i in *; do
  [ "$(cat "$i/device/vendor" 2>/dev/null)" = 0x15b3 ] || continue
  ethtool -S "$i" 2>/dev/null | grep -e '_prio._pause:' -e 'discard' | sed "s|^ *|$i/flow/|"
done
cd /sys/class/infiniband 2>/dev/null || exit 0
for d in *; do
  [ -e "$d" ] || continue
  echo "$d/pci:$(readlink -f "$d/device" 2>/dev/null)"
done
grep -sH . */ports/*/link_layer */ports/*/state */ports/*/rate \
  */ports/*/counters/symbol_error */ports/*/counters/link_error_recovery \
  */ports/*/counters/link_downed */ports/*/counters/port_rcv_errors \
  */ports/*/counters/port_rcv_remote_physical_errors \
  */ports/*/counters/local_link_integrity_errors \
  */ports/*/counters/excessive_buffer_overrun_errors \
  */ports/*/hw_counters/out_of_sequence */ports/*/hw_counters/packet_seq_err \
  */ports/*/hw_counters/np_cnp_sent */ports/*/hw_counters/np_ecn_marked_roce_packets \
  */ports/*/hw_counters/rp_cnp_handled 2>/dev/null
grep -sH . */ports/*/pkeys/* 2>/dev/null | grep -v ':0x0000$'
grep -sH . */ports/*/gids/* 2>/dev/null | grep -v 0000:0000:0000:0000:0000:0000:0000:0000
grep -sH . */ports/*/gid_attrs/types/* */ports/*/gid_attrs/ndevs/* 2>/dev/null
command -v saquery >/dev/null 2>&1 || exit 0
for p in */ports/*; do
  lid=$(cat "$p/lid" 2>/dev/null)
  [ "$lid" = "$(cat "$p/sm_lid" 2>/dev/null)" ] || continue
  case $lid in ''|0|0x0|0xffff) continue ;; esac
  timeout 10 saquery -C "${p%%/*}" -P "${p##*/}" MCMR 2>/dev/null | sed "s|^|$p/group:|"
  timeout 10 saquery -C "${p%%/*}" -P "${p##*/}" SMIR 2>/dev/null | sed "s|^|$p/manager:|"
done
exit 0
