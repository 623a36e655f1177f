# SPDX-License-Identifier: Apache-2.0
# What somebody else entered is his to leave; that it is left already is all the better.
. esx_maintenance.sh
if [ "$(noted)" = entered ] && [ "$(mode)" != false ]; then
  said=$(vim hostsvc/maintenance_mode_exit 2>&1)
  sync
  [ "$(mode)" = false ] || { echo "still in maintenance mode: $said" | tr '\n' ' '; exit 1; }
fi
note none
