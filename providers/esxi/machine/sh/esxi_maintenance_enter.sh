# SPDX-License-Identifier: Apache-2.0
# $1 seconds. What the command says when it gives up names no virtual machine.
. esxi_maintenance.sh
[ "$(mode)" = Enabled ] && exit 0
said=$(esxcli system maintenanceMode set -e true -t "$1" 2>&1)
[ "$(mode)" = Enabled ] && exit 0
running=$(esxcli --formatter=keyvalue vm process list 2>/dev/null |
  sed -n 's/^.*[.]DisplayName[.]string=//p')
echo "not in maintenance mode after $1 s: $said" | tr '\n' ' '
[ -n "$running" ] && echo "running virtual machines: $running" | tr '\n' ' '
exit 1
