# SPDX-License-Identifier: Apache-2.0
# What somebody else entered is his to leave; that it is left already is all the better.
. esxi_maintenance.sh
if [ "$(noted)" = entered ] && [ "$(mode)" != Disabled ]; then
  said=$(esxcli system maintenanceMode set -e false -t "$1" 2>&1)
  [ "$(mode)" = Disabled ] || { echo "still in maintenance mode: $said" | tr '\n' ' '; exit 1; }
fi
note none
