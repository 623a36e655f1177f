# SPDX-License-Identifier: Apache-2.0
. port_interface.sh
for now in $interfaces; do
  ip address flush dev "$now" scope global
  ip link set dev "$now" down
done
exit 0
