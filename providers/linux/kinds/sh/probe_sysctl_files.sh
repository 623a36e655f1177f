# SPDX-License-Identifier: Apache-2.0
set --
for f in /etc/sysctl.conf /etc/sysctl.d/*.conf /run/sysctl.d/*.conf /usr/lib/sysctl.d/*.conf; do
  [ -f "$f" ] && set -- "$@" "$f"
done
[ $# -eq 0 ] || grep -H '' "$@"
exit 0
