#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kubernetes: the node is cordoned and empty while fabric disrupts it. Called by both hooks.
# A disruption budget that forbids an eviction fails the drain with its own words; the node is then left alone.
set -eu
node=${1:-$FABRIC_NODE}
mark=fabric.drained

is_cordoned() { [ "$(kubectl get node "$node" -o 'jsonpath={.spec.unschedulable}')" = true ]; }
ours() { [ "$(kubectl get node "$node" -o "jsonpath={.metadata.annotations.fabric\.drained}")" = true ]; }

case $FABRIC_HOOK in
  before)
    if is_cordoned && ! ours; then
      echo "$node is cordoned already"
    else
      kubectl annotate --overwrite node "$node" "$mark=true"
    fi
    kubectl drain "$node" --ignore-daemonsets --delete-emptydir-data --timeout "${KUBERNETES_TIMEOUT:-9m}"
    ;;
  after)
    if [ "${FABRIC_OUTCOME:-}" = lost ]; then echo "$node is lost: it stays cordoned"; exit 0; fi
    if ! ours; then echo "$node was not cordoned by fabric"; exit 0; fi
    kubectl uncordon "$node"
    kubectl annotate node "$node" "$mark-"
    ;;
esac
