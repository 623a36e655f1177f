# SPDX-License-Identifier: Apache-2.0
# $1 the file. Whole or not there: half of an id would be that of another boot.
new=${1%/*}/.fabric-new.$$
cp /proc/sys/kernel/random/boot_id "$new" && sync "$new" && mv -f "$new" "$1" ||
  { rm -f "$new"; exit 1; }
sync "${1%/*}" 2>/dev/null || sync
