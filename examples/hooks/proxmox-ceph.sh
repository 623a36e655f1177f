#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proxmox VE with Ceph: guests leave a node before it is away, the cluster keeps its quorum, no data is rebalanced
# meanwhile, and none goes before all data is whole again. Called by both hooks. What takes long ends with 75, "not yet":
# fabric goes on with other nodes and asks again, for as long as rollout.patience says.
# PVE_SSH: how a command runs on node %, "ssh root@%" if left out. CEPH: how ceph is called, e.g. "ssh root@pve1 ceph".
# PVE_TARGET: where guests go that HA does not move; left out, to the next node. PVE_SECONDS: how long one call moves
# guests, 240 if left out; less than hooks.timeout.
set -eu
node=${1:-$FABRIC_NODE}
ceph=${CEPH:-ceph}
mark=${TMPDIR:-/var/tmp}/fabric-noout.$node
maintenance=${TMPDIR:-/var/tmp}/fabric-maintenance.$node
moved=${TMPDIR:-/var/tmp}/fabric-moved.$node

not_yet() { echo "$1"; exit 75; }
on() {
  where=$1
  shift
  $(printf %s "${PVE_SSH:-ssh root@%}" | sed "s|%|$where|g") "$@" </dev/null
}

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

# How many votes are left above the quorum; "unknown" if pvecm does not answer in the form that is known.
votes_to_spare() {
  on "$node" pvecm status | awk -F: '
    /^Quorate:/ { quorate = $2 ~ /Yes/ }
    /^Total votes:/ { votes = $2 + 0 }
    /^Quorum:/ { quorum = $2 + 0 }
    END { print quorate && quorum ? votes - quorum : "unknown" }'
}
# Guests that run there: "qm 101", "ct 102".
guests() {
  on "$node" qm list | awk '$3 == "running" { print "qm", $1 }'
  on "$node" pct list | awk '$2 == "running" { print "ct", $1 }'
}
# Those of them that HA moves by itself, as "qm 101".
of_ha() { on "$node" ha-manager status | sed -n 's/^service vm:\([0-9]*\) .*/qm \1/p; s/^service ct:\([0-9]*\) .*/ct \1/p'; }
next_node() { on "$node" pvecm nodes | awk -v node="$node" '$1 + 0 > 0 && $3 != node { print $3; exit }'; }
# $1 kind, $2 number, $3 from, $4 to
move() {
  case $1 in
    qm) on "$3" qm migrate "$2" "$4" --online ;;
    ct) on "$3" pct migrate "$2" "$4" --restart ;;
  esac >&2
}
move_away() {
  target=${PVE_TARGET:-$(next_node)}
  until=$(($(date +%s) + ${PVE_SECONDS:-240}))
  managed=$(of_ha)
  guests | while read -r kind number; do
    case "
$managed
" in *"
$kind $number
"*) continue ;; esac
    [ "$(date +%s)" -lt "$until" ] || break
    move "$kind" "$number" "$node" "$target" || exit 1
    echo "$kind $number $target" >>"$moved"
  done
}

case $FABRIC_HOOK in
  before)
    spare=$(votes_to_spare)
    case $spare in
      unknown) echo "pvecm status does not tell the votes of the cluster" >&2; exit 1 ;;
      0 | -*) not_yet "the cluster has no vote to spare: without $node it has no quorum" ;;
    esac
    n=$(troubled)
    [ "$n" = 0 ] || not_yet "$n placement groups are not clean"
    if [ ! -e "$maintenance" ] && [ -n "$(of_ha)" ]; then
      : >"$maintenance"
      on "$node" ha-manager crm-command node-maintenance enable "$node" >&2
    fi
    move_away
    left=$(guests | wc -l)
    [ "$left" -eq 0 ] || not_yet "$left guests are still on $node"
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
    if [ "${FABRIC_OUTCOME:-}" = lost ]; then echo "$node is lost: data and guests stay away from it"; exit 0; fi
    if [ -e "$maintenance" ]; then
      on "$node" ha-manager crm-command node-maintenance disable "$node" >&2
      rm -f "$maintenance"
    fi
    if [ -e "$moved" ]; then
      while read -r kind number from; do move "$kind" "$number" "$from" "$node" || exit 1; done <"$moved"
      rm -f "$moved"
    fi
    until_whole
    ;;
esac
