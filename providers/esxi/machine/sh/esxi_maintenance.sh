# SPDX-License-Identifier: Apache-2.0
# Functions of the scripts that enter and leave the maintenance mode.
note=FabricMaintenance about='Whether fabric has entered the maintenance mode'
. esxi_note.sh
mode() { esxcli system maintenanceMode get; }
