#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fabric against tens of hosts that really reboot (ctest label `fleet`, by hand: tests/fleet/run.sh FABRIC_BINARY
# [SCENARIO...]): systemd-nspawn containers with a real systemd and sshd. Installs what is missing, makes one root file
# system once into $FLEET_DIR (/tmp/fleet), starts $FLEET_HOSTS (20) hosts of it and ends them. Needs root, and nothing
# of the machine's own network: everything lives in namespaces that end with this script. On a machine that is busy:
# FLEET_WAIT, seconds until all answer (300), FLEET_LOST_AFTER, until a host that reboots is given up (60).
# FLEET_AT_ONCE is the rollout's max_unavailable (3); every scenario needs hosts for three waves.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../cmake/packages.sh"
[ "$(id -u)" = 0 ] || { echo "skipped: containers need root"; exit 77; }
install_packages systemd-container mmdebstrap iproute2 util-linux openssh-client python3
fabric=$(readlink -f "$1")
shift
base=${FLEET_DIR:-/tmp/fleet} hosts=${FLEET_HOSTS:-20}
mkdir -p "$base"
exec 9>"$base/lock"
flock -n 9 || { echo "another fleet runs in $base" >&2; exit 1; }
key=$(cat "$here/build-root.sh" "$here"/guest/* "$here"/../vm/guest/{mstconfig,settings} | sha256sum | cut -d' ' -f1)
if [ "$(cat "$base/key" 2>/dev/null)" != "$key" ]; then
  rm -f "$base/key"
  "$here/build-root.sh" "$base"
  echo "$key" >"$base/key"
fi
run=$base/run
"$here/down.sh" "$run"
mkdir -p "$run"
trap '"$here/down.sh" "$run"' EXIT
# unshare passes no signal on, and blocks some; its own end is that of all processes in the namespace.
trap 'kill -KILL "$fleet" 2>/dev/null; wait "$fleet"; exit 130' INT TERM HUP
unshare --net --mount --pid --fork --kill-child --mount-proc \
  "$here/up.sh" "$hosts" "$run" /usr/bin/python3 "$here/suite.py" "$fabric" "$run" "$hosts" "$@" 9>&- &
fleet=$!
status=0
wait "$fleet" || status=$?
if [ "$status" != 0 ] && [ -n "${FLEET_KEEP_LOGS:-}" ]; then
  for log in "$run"/n*/console.log; do cp "$log" "$FLEET_KEEP_LOGS/$(basename "$(dirname "$log")").log"; done
fi
exit "$status"
