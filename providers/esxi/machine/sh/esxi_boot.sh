# SPDX-License-Identifier: Apache-2.0
# The uptime in microseconds; the mark is the uptime at which it was made and the time of day, for
# two boots may first be asked at the same uptime. It stands in a folder that lives in memory
# (E-esxi-uptime, E-esxi-no-boot-id). Only root writes in that folder: in /tmp anybody could take
# the name first, by a link to where root is to write. A mark that outlived its boot would only
# hide a reboot, never feign one.
PATH=$PATH:/bin:/sbin
mark=/var/run/fabric-boot
up=$(esxcli system stats uptime get)
case $up in ''|*[!0-9]*) echo "no uptime: $up"; exit 1 ;; esac
[ -L "$mark" ] && { echo "$mark is a link"; exit 1; }
[ -s "$mark" ] || echo "$up-$(date +%s)" > "$mark" || exit 1
echo "mark $(cat "$mark")"
echo "uptime $up"
