#!/bin/sh
# Proxmox VE with Ceph: no rebalancing while a node is away, and none goes before all data is whole again. Called by both
# hooks; the other nodes of the ring carry its traffic meanwhile. Guests are moved by HA, if they are to be moved.
# CEPH: how ceph is called, e.g. "ssh root@pve1 ceph".
set -eu
node=${1:-$FABRIC_NODE}
ceph=${CEPH:-ceph}
mark=${TMPDIR:-/var/tmp}/fabric-noout.$node

# Placement groups that are not whole; "unknown" if ceph does not answer in the form that is known.
troubled() {
  $ceph pg stat | sed -n 's/^\([0-9]* pgs: .*\); .*data.*$/\1/p' | tr ',' '\n' |
    awk 'BEGIN { n = "unknown" } /pgs:/ { n = 0; sub(/.*pgs: /, "") } !/active\+clean/ { n += $1 } END { print n }'
}
until_whole() {
  while n=$(troubled) && [ "$n" != 0 ]; do
    echo "$n placement groups are not clean"
    sleep "${CEPH_POLL:-5}"
  done
}

case $FABRIC_HOOK in
  before)
    until_whole
    if [ ! -e "$mark" ] && $ceph osd dump --format json | grep -q "\"$node\":\[[^]]*\"noout\""; then
      echo "noout was set for $node already"
      exit 0
    fi
    : >"$mark"
    $ceph osd set-group noout "$node"
    ;;
  after)
    if [ -e "$mark" ]; then
      $ceph osd unset-group noout "$node"
      rm -f "$mark"
    else
      echo "noout was not set by fabric"
    fi
    if [ "${FABRIC_OUTCOME:-}" = lost ]; then echo "$node is lost: data moves away from it"; exit 0; fi
    until_whole
    ;;
esac
