# SPDX-License-Identifier: Apache-2.0
# $1 the interface that iperf3 sends from, or nothing, then the command. An address alone does not choose the port where two
# are in one subnet. iperf3 knows --bind-dev since 3.10.
LC_ALL=C
export LC_ALL
PATH=$PATH:/usr/sbin:/sbin
interface=$1
shift
if [ -n "$interface" ] && iperf3 --help 2>&1 | grep -q -e --bind-dev; then
  set -- "$@" --bind-dev "$interface"
fi
echo fabric-flow
"$@" 2>&1
echo "fabric-exit $?"
exit 0
