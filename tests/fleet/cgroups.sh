# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by host.sh and down.sh. Each container needs a cgroup of its own, in each hierarchy that systemd sorts its
# units in: the unified one, and version 1's "name=systemd" where there is one (nspawn's --keep-unit makes none).
fleet_cgroups() {
  awk '$3 == "cgroup2" || ($3 == "cgroup" && $4 ~ /name=systemd/) {print $2 "/fabric-fleet"}' /proc/mounts
}
