#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Slurm: no job is on the node while fabric disrupts it. Called by hooks.before_disruption and hooks.after_disruption.
# Needs scontrol and squeue on this machine, and the node's name in Slurm to be that in the document.
set -eu
node=${1:-$FABRIC_NODE}
reason="fabric: disruption"

field() { scontrol show node "$node" --oneliner | sed -n "s/.* $1=\([^ ]*\).*/\1/p"; }
ours() { scontrol show node "$node" | grep -q "Reason=$reason"; }

case $FABRIC_HOOK in
  before)
    case $(field State) in
      *DRAIN*) echo "$node is drained already" ;;  # by somebody else, or by a run of ours before
      *) scontrol update "nodename=$node" state=drain "reason=$reason" ;;
    esac
    # hooks.timeout ends the wait.
    while jobs=$(squeue --noheader --nodelist="$node" --format=%i) && [ -n "$jobs" ]; do
      echo "waiting for $(echo "$jobs" | wc -l) jobs:" $jobs
      sleep "${SLURM_POLL:-10}"
    done
    ;;
  after)
    if [ "${FABRIC_OUTCOME:-}" = lost ]; then echo "$node is lost: it stays drained"; exit 0; fi
    if ! ours; then echo "$node was not drained by fabric"; exit 0; fi
    scontrol update "nodename=$node" state=resume
    ;;
esac
