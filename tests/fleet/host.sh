#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# host.sh RUN NAME - the life of one host of the fleet: boots it again after each reboot, and after a power-off as soon
# as RUN/NAME/off is gone. While that file is there it stays off, so that a test can take away the power while the host
# reboots. systemd-nspawn gives each boot a boot_id of its own; told to leave the machine's units alone it can't restart
# a container by itself and ends with 133.
set -euo pipefail
run=$1 name=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cgroups.sh"
cd "$run/$name"
while read -r cgroup; do
  mkdir -p "$cgroup/$name"
  echo 0 >"$cgroup/$name/cgroup.procs"
done < <(fleet_cgroups)
while :; do
  until [ ! -e off ]; do sleep 0.1; done
  status=0
  systemd-nspawn --quiet --boot --directory=root --machine="$name" --network-bridge=fleet --register=no --keep-unit \
    --link-journal=no --resolv-conf=off --timezone=off --console=pipe </dev/null >>console.log 2>&1 || status=$?
  echo "host.sh: $name ended with $status" >>console.log
  [ "$status" = 133 ] || : >off
done
