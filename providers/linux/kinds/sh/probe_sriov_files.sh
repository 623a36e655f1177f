# SPDX-License-Identifier: Apache-2.0
for f in /etc/udev/rules.d/71-fabric-sriov-*.rules; do
  [ -f "$f" ] && grep -H '' "$f"
done
exit 0
