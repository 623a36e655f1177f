# SPDX-License-Identifier: Apache-2.0
# Where there is still no link after the time that one takes to come up there is none to wait for.
i=0
while [ "$i" -lt 100 ]; do
  i=$((i + 1))
  case $(cat "/sys/class/infiniband/$1/ports/$2/state" 2>/dev/null) in
    *DOWN) [ "$i" -gt 20 ] && exit 0 ;;
  esac
  lid=$(cat "/sys/class/infiniband/$1/ports/$2/lid" 2>/dev/null)
  case $lid in
    ''|0x0|0|0xffff) ;;
    *) timeout 10 sminfo -C "$1" -P "$2" -t 500 "$lid" 2>/dev/null | grep -q -e SMINFO_MASTER -e SMINFO_STANDBY && exit 0 ;;
  esac
  sleep 1
done
echo "no manager answers on $1 port $2" >&2
exit 1
