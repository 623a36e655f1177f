#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# down.sh RUN - what the end of the fleet's namespaces leaves: its cgroups and its folder.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cgroups.sh"
for cgroup in $(fleet_cgroups); do
  for _ in $(seq 100); do # killed processes take a moment to be gone
    [ ! -d "$cgroup" ] || find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null
    [ -d "$cgroup" ] || break
    sleep 0.1
  done
  [ ! -d "$cgroup" ] || echo "left over: $cgroup" >&2
done
rm -rf --one-file-system -- "$1"
