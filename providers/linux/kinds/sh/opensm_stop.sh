# SPDX-License-Identifier: Apache-2.0
# A unit that systemd does not know runs nothing.
systemctl stop "$1" 2>/dev/null
systemctl is-active --quiet "$1" || exit 0
echo "$1 still runs" >&2
exit 1
