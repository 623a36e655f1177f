# SPDX-License-Identifier: Apache-2.0
# A port that has another name until the next boot is left out. `$1`: what their ids begin with.
# shellcheck disable=SC2046 # two words
failed=0
start=$1
for id in $(nmcli -g NAME connection show); do
  case "$id" in "$start"*) ;; *) continue ;; esac
  set -- $(nmcli -g connection.interface-name,connection.type connection show id "$id")
  case "$2" in
    *ethernet | infiniband) [ -e "/sys/class/net/$1" ] || continue ;;
  esac
  nmcli connection up id "$id" || failed=1
done
exit $failed
