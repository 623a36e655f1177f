# SPDX-License-Identifier: Apache-2.0
pending=/var/run/fabric-pending
[ -d /var/run ] && ! [ -L "$pending" ] || exit 1
cat "$pending" 2>/dev/null
exit 0
