#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# up.sh N RUN COMMAND... - N hosts of the fleet on one bridge, and COMMAND beside them when all answer. Meant for
# namespaces of its own (run.sh makes them: network, mounts, processes): whatever this starts, mounts or plugs in ends
# with them. In RUN: ssh_config, known_hosts, nX/console.log.
set -euo pipefail
count=$1 run=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
base=$(dirname "$run")

# What nspawn and ip keep below /run, and whether PID 1 is systemd, is none of the host's business here, nor the other
# way round. The hosts' own files are in memory: an overlay can't have its upper layer on an overlay, as in a container.
mount -t tmpfs -o mode=755 fleet /run
mkdir -p "$run/disks"
mount -t tmpfs -o mode=755 fleet "$run/disks"

ip link set lo up
ip link add fleet type bridge
ip address add 198.18.0.254/24 dev fleet
ip link set fleet up

make_host() { # number
  local name=n$1 disk=$run/disks/n$1 folder=$run/n$1
  mkdir -p "$disk"/{files,work} "$folder/root"
  mount -t overlay -o "lowerdir=$base/root,upperdir=$disk/files,workdir=$disk/work" fleet "$folder/root"
  local etc=$folder/root/etc
  echo "$name" >"$etc/hostname"
  printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$name" >"$etc/hosts"
  printf 'f1ee7000000040008000%012x\n' "$1" >"$etc/machine-id"
  ssh-keygen -q -t ed25519 -N '' -C "$name" -f "$etc/ssh/ssh_host_ed25519_key"
  mkdir -p "$etc/systemd/network"
  printf '[Match]\nName=host0\n[Network]\nAddress=198.18.0.%s/24\nLinkLocalAddressing=no\n' "$1" >"$etc/systemd/network/10-host0.network"
  echo "$name $(cut -d' ' -f1,2 "$etc/ssh/ssh_host_ed25519_key.pub")" >>"$run/known_hosts"
  printf 'Host %s\n  HostName 198.18.0.%s\n  HostKeyAlias %s\n' "$name" "$1" "$name" >>"$run/ssh_config"
}

cat >"$run/ssh_config" <<X
Host n*
  User root
  IdentityFile $base/id_fleet
  IdentitiesOnly yes
  UserKnownHostsFile $run/known_hosts
  StrictHostKeyChecking yes
  BatchMode yes
  ConnectTimeout 5
  LogLevel ERROR
X
begun=$SECONDS
for ((i = 1; i <= count; i++)); do
  make_host "$i"
  "$here/host.sh" "$run" "n$i" &
done
deadline=$((SECONDS + ${FLEET_WAIT:-300}))
for ((i = 1; i <= count; i++)); do
  until ssh -F "$run/ssh_config" "n$i" true 2>/dev/null; do
    [ "$SECONDS" -lt "$deadline" ] || { echo "n$i does not answer; the end of $run/n$i/console.log:" >&2; tail -n 20 "$run/n$i/console.log" >&2; exit 1; }
    sleep 0.3
  done
done
echo "$count hosts answer after $((SECONDS - begun)) s"
"$@"
