# SPDX-License-Identifier: Apache-2.0
# esxcli ends with 0 or 1 whatever happened (E-esxcli-errors): each script looks at what came of
# it. What a shell that is no login finds is made sure of (E-esxi-path).
PATH=$PATH:/bin:/sbin
path=/UserVars/FabricMaintenance
mode() { esxcli system maintenanceMode get; }
noted() {
  esxcli --formatter=keyvalue system settings advanced list -o "$path" 2>&1 |
    sed -n 's/^.*[.]StringValue[.]string=//p'
}
note() {
  [ "$(noted)" = "$1" ] && return 0
  [ -n "$(noted)" ] || esxcli system settings advanced add -k FabricMaintenance -t string -s none \
    -d 'Whether fabric has entered the maintenance mode'
  esxcli system settings advanced set -o "$path" -s "$1"
  [ "$(noted)" = "$1" ] || { echo "$path can't be set to $1"; exit 1; }
  auto-backup.sh >/dev/null 2>&1 || { echo 'auto-backup.sh failed'; exit 1; }
}
