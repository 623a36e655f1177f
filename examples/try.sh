#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 / Ubuntu machine to a converged ring: installs what is missing, builds, makes
# four simulated nodes behind real SSH on 127.x.y.z, takes them from factory settings to a ConnectX-5
# host-chaining ring, and proves it: waves, reboots, frames, and a second plan that is empty.
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/packages.sh

step() { printf '\n== %s\n' "$*"; }

# FABRIC: a program that is built already, as the gate has it.
binary=${FABRIC:-}
if [ -z "$binary" ]; then
  install_packages "${build_packages[@]}" python3
  # Warnings of a compiler that we have not met must not keep anybody from trying.
  step "building"
  cmake --preset try >/dev/null
  cmake --build build/try --target fabric fabric_reference -j "$(build_jobs)"
  binary=$PWD/build/try/engine/cli/fabric
fi

work=$(mktemp -d)
cp examples/ring/*.yaml "$work/"
fabric() { "$binary" --chdir "$work" "$@"; }
leave() {
  fabric lab down >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap leave EXIT
SECONDS=0

step "fabric lab up          (four simulated nodes with dual-port ConnectX-5 cards, factory settings)"
fabric lab up

step "fabric validate"
fabric validate

step "fabric --lab plan --out ring.plan"
fabric --lab plan --out ring.plan

step "fabric --lab apply ring.plan"
fabric --lab apply ring.plan

step "fabric --lab verify"
fabric --lab verify

step "fabric --lab plan      (the second plan must be empty)"
fabric --lab plan --detailed-exitcode

step "what the lab itself saw"
fabric --json lab status > "$work/status.json"
python3 - "$work/status.json" <<'PY'
import json, sys

events = [json.loads(line) for line in open(sys.argv[1])]
monitor = next(event["monitor"] for event in events if "monitor" in event)
print(f"reboots: {monitor['reboots']}, most nodes down at once: {monitor['most_down_at_once']}, "
      f"ring neighbours down together: {len(monitor['neighbours_down_together'])}")
if not (monitor["reboots"] == 4 and monitor["most_down_at_once"] == 1
        and not monitor["neighbours_down_together"] and not monitor["violations"]):
    sys.exit(f"the lab's own monitor disagrees: {monitor}")
PY

printf '\nThe ring converged in %s s after the build: 4 reboots, one node at a time, second plan empty.\n' "$SECONDS"
if [ -z "${FABRIC:-}" ]; then printf '\nTo install the program, its manual pages and completion:\n\n    sudo cmake --install build/try\n'; fi
