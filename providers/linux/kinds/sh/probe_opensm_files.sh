# SPDX-License-Identifier: Apache-2.0
# Ours, and those that another OpenSM of the node reads. Keys of the subnet stay on the node:
# whether they are the default is all that is told.
. opensm_foreign.sh
for f in $missing; do
  echo "missing $f"
done
set --
for f in $foreign /etc/opensm/fabric-* \
  /etc/systemd/system/fabric-opensm-*.service /etc/systemd/system/opensm.service.d/* \
  /etc/systemd/system/opensmd.service.d/* \
  /etc/udev/rules.d/95-fabric-opensm-*.rules /run/fabric/opensm-*/*; do
  [ -f "$f" ] && set -- "$@" "$f"
done
[ $# -eq 0 ] || grep -H '' "$@" |
  sed -E '/_key[[:space:]]+0x0*1?[[:space:]]*$/!s/^([^:]*:[a-z0-9_]*_key)[[:space:]].*/\1 hidden/'
exit 0
