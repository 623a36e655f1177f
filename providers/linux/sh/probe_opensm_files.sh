# SPDX-License-Identifier: Apache-2.0
set --
for f in /etc/opensm/opensm.conf /etc/opensm/partitions.conf /etc/opensm/fabric-* \
  /etc/systemd/system/fabric-opensm-*.service /etc/systemd/system/opensm.service.d/* \
  /etc/systemd/system/opensmd.service.d/* \
  /etc/udev/rules.d/95-fabric-opensm-*.rules /run/fabric/opensm-*/*; do
  [ -f "$f" ] && set -- "$@" "$f"
done
[ $# -eq 0 ] || grep -H '' "$@"
exit 0
