# SPDX-License-Identifier: Apache-2.0
set --
for f in /etc/fabric/qos-*.sh /etc/systemd/system/fabric-qos-*.service /etc/udev/rules.d/96-fabric-qos-*.rules; do
  [ -f "$f" ] && set -- "$@" "$f"
done
[ $# -eq 0 ] || grep -H '' "$@"
exit 0
