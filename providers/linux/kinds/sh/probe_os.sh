# SPDX-License-Identifier: Apache-2.0
. lines.sh
release=/etc/os-release
[ -f "$release" ] || release=/usr/lib/os-release
lines "$release" /proc/sys/kernel/osrelease 2>/dev/null
exit 0
