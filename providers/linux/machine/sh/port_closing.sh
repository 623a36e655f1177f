# SPDX-License-Identifier: Apache-2.0
# $1 bond, $2 the port to close, $3 the others with blanks between, then the targets.
# shellcheck disable=SC2016 # a script of its own
# shellcheck disable=SC2086 # a list of words
LC_ALL=C
export LC_ALL
PATH=$PATH:/usr/sbin:/sbin
bond=$1 closed=$2 others=$3
shift 3
carries() { [ "$(cat "/sys/class/net/$1/bonding_slave/mii_status" 2>/dev/null)" = up ]; }
sent() {
  for i in $closed $others; do
    echo "fabric-sent $1 $i $(cat "/sys/class/net/$i/statistics/tx_packets")"
  done
}
# Datagrams to many ports are many flows to a hash of layers 3 and 4; nobody has to listen.
many_flows() {
  command -v bash >/dev/null 2>&1 || return 0
  for t in "$@"; do
    bash -c 'for p in {20000..20063}; do echo fabric >"/dev/udp/$1/$p"; done' bash "$t" 2>/dev/null
  done
}
for i in $closed $others; do
  carries "$i" || { echo "fabric-untested $i is not up in $bond"; exit 0; }
done
# Cards of NVIDIA keep their link when the kernel closes the port, unless KEEP_ETH_LINK_UP is off:
# only the card itself takes the carrier away from the other end, and then only where that is off.
# Of InfiniBand (32) IPoIB alone is closed: the port's link carries RDMA, and subnet managers.
device=$(readlink -f "/sys/class/net/$closed/device" 2>/dev/null)
tool= vendor=
[ "$(cat "/sys/class/net/$closed/type" 2>/dev/null)" = 32 ] || vendor=$(cat "$device/vendor" 2>/dev/null)
if [ "$vendor" = 0x15b3 ]; then
  for t in mstlink mlxlink; do
    command -v $t >/dev/null 2>&1 && { tool=$t; break; }
  done
fi
number=1
[ "$(cat "/sys/class/net/$closed/dev_port" 2>/dev/null)" = 1 ] && number=2
by_card() { [ -n "$tool" ] && timeout 20 $tool -d "${device##*/}" -p $number -a "$1" >/dev/null 2>&1 </dev/null; }
nohup sh -c 'sleep 60; ip link set dev "$1" up; [ -z "$2" ] || $2 -d "$3" -p "$4" -a UP' \
  fabric "$closed" "$tool" "${device##*/}" $number >/dev/null 2>&1 </dev/null &
guard=$!
pings=
for t in "$@"; do
  ping -n -i 0.2 -c 60 -W 2 "$t" 2>&1 | sed "s/^/fabric-ping $t /" &
  pings="$pings $!"
done
sent start
many_flows "$@"
sleep 3
sent open
if by_card DN; then
  sleep 4
  sent closed
  by_card UP
elif ip link set dev "$closed" down; then
  [ "$vendor" = 0x15b3 ] && echo fabric-keeps-link
  sleep 4
  sent closed
else
  echo "fabric-untested the kernel refused to close $closed"
fi
ip link set dev "$closed" up
tries=0
until carries "$closed"; do
  tries=$((tries + 1))
  [ $tries -lt 60 ] || { echo "fabric-stays-down"; break; }
  sleep 0.5
done
kill $guard 2>/dev/null
wait $pings
echo fabric-end
exit 0
