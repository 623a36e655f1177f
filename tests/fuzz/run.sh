#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BINARY CORPUS: fuzzes for FABRIC_FUZZ_SECONDS (30) and fails if anything was found.
#
# What is found new stays in a scratch copy of the corpus, so that a run never changes the tree; an
# input that crashes is kept beside the binary and named. FABRIC_FUZZ_KEEP=DIR keeps the scratch
# corpus, to be minimised into the tree with `BINARY -merge=1 CORPUS DIR`.
set -eu
binary=$1
corpus=$2
seconds=${FABRIC_FUZZ_SECONDS:-30}
[ -d "$corpus" ] || { echo "run.sh: no corpus at $corpus" >&2; exit 1; }

scratch=${FABRIC_FUZZ_KEEP:-$(mktemp -d)}
mkdir -p "$scratch"
[ -n "${FABRIC_FUZZ_KEEP:-}" ] || trap 'rm -rf "$scratch"' EXIT

# Memory and time have their budgets in budget.cpp, by the length of the input; these two are for what never ends.
set -- "-max_total_time=$seconds" -timeout=600 -rss_limit_mb=4096 "-max_len=${FABRIC_FUZZ_LENGTH:-8388608}" -print_final_stats=1 \
  "-artifact_prefix=$binary-"
dictionary=$corpus.dict
if [ -f "$dictionary" ]; then set -- "$@" "-dict=$dictionary"; fi
if "$binary" "$@" "$scratch" "$corpus" >"$scratch.log" 2>&1; then
  grep -E "stat::(number_of_executed_units|new_units_added)|^Done" "$scratch.log" || true
  rm -f "$scratch.log"
else
  status=$?
  cat "$scratch.log"
  rm -f "$scratch.log"
  exit "$status"
fi
