#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ESXi: maintenance mode while fabric disrupts the host. Called by both hooks.
# ESXI: how the host's esxcli is called, with % for its name; a vCenter with DRS moves the guests away.
set -eu
node=${1:-$FABRIC_NODE}
call=$(printf %s "${ESXI:-ssh root@% esxcli}" | sed "s/%/$node/g")
mark=${TMPDIR:-/var/tmp}/fabric-maintenance.$node
seconds=${ESXI_TIMEOUT:-540}

mode() { $call system maintenanceMode get; }

case $FABRIC_HOOK in
  before)
    if [ "$(mode)" = Enabled ]; then echo "$node is in maintenance mode already"; exit 0; fi
    : >"$mark"
    $call system maintenanceMode set --enable true --timeout "$seconds"
    # Exit 0 is no evidence.
    if [ "$(mode)" != Enabled ]; then echo "$node did not enter maintenance mode" >&2; exit 1; fi
    ;;
  after)
    if [ ! -e "$mark" ]; then echo "$node was not put into maintenance mode by fabric"; exit 0; fi
    if [ "${FABRIC_OUTCOME:-}" = lost ]; then echo "$node is lost: it stays in maintenance mode"; exit 0; fi
    # To leave it twice is an error.
    if [ "$(mode)" = Enabled ]; then $call system maintenanceMode set --enable false --timeout "$seconds"; fi
    rm -f "$mark"
    ;;
esac
