# SPDX-License-Identifier: Apache-2.0
# $1 run, $2 seconds.
. flush.sh
. lock_read.sh
. lock_put.sh
[ "$held" = "$1" ] && [ "$left" != unreadable ] && [ "$left" -gt 0 ] || exit 1
while read -r key value; do
  case $key in
    boot) value=$boot ;;
    taken) value=$((now - age)) ;;
    expires) value=$((now + $2)) ;;
    length) value=$2 ;;
  esac
  line "$key" "$value"
done <"$file" | put
