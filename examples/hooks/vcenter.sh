#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ESXi under a vCenter: maintenance mode by govc, so that DRS moves the guests away and vSAN is asked. Called by both hooks.
# Who and where the vCenter is, govc reads from GOVC_URL, GOVC_USERNAME and GOVC_PASSWORD.
# VCENTER_HOST: what the vCenter calls the host, with % for the node's name: %.example.net
set -eu
node=${1:-$FABRIC_NODE}
name=$(printf %s "${VCENTER_HOST:-%}" | sed "s/%/$node/g")
mark=${TMPDIR:-/var/tmp}/fabric-vcenter.$node
seconds=${VCENTER_TIMEOUT:-540}

host=$(govc find / -type h -name "$name")
case $host in
  '') echo "the vCenter has no host $name: set VCENTER_HOST" >&2; exit 1 ;;
  *'
'*) echo "the vCenter has several hosts $name: set VCENTER_HOST" >&2; exit 1 ;;
esac
is_in() { [ "$(govc object.collect -s "$host" runtime.inMaintenanceMode)" = true ]; }

case $FABRIC_HOOK in
  before)
    if is_in; then echo "$node is in maintenance mode already"; exit 0; fi
    : >"$mark"
    govc host.maintenance.enter -timeout "$seconds" "$host"
    if ! is_in; then echo "$node did not enter maintenance mode" >&2; exit 1; fi
    ;;
  after)
    if [ ! -e "$mark" ]; then echo "$node was not put into maintenance mode by this hook"; exit 0; fi
    if [ "${FABRIC_OUTCOME:-}" = lost ]; then echo "$node is lost: it stays in maintenance mode"; exit 0; fi
    if is_in; then govc host.maintenance.exit -timeout "$seconds" "$host"; fi
    rm -f "$mark"
    ;;
esac
