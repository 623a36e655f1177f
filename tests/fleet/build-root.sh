#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build-root.sh OUTDIR - the one root file system that every host of the fleet starts from: OUTDIR/root (Debian 12 with
# systemd, sshd and a card in pretence), OUTDIR/id_fleet, the key fabric logs in with. Needs root and apt; no kernel,
# no loop device: about 30 s and 250 MB.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
suite=${SUITE:-bookworm}
# The mirrors that this host's own apt uses; both can be given by hand, and SECURITY may be empty.
apt_uri() { apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null | awk -v r="$1" '$2==r{print $1; exit}'; }
mirror=${MIRROR:-$(apt_uri "$suite")}
security=${SECURITY-$(apt_uri "$suite-security")}
packages=systemd,systemd-sysv,dbus,libpam-systemd,openssh-server,iproute2,procps,kmod,ethtool
root=$out/root

mkdir -p "$out"
rm -rf --one-file-system "$root"
[ -s "$out/id_fleet" ] || ssh-keygen -q -t ed25519 -N '' -C fleet -f "$out/id_fleet"
sources=("deb $mirror $suite main" "deb $mirror $suite-updates main")
[ -z "$security" ] || sources+=("deb $security $suite-security main")
mmdebstrap --mode=root --variant=minbase --format=directory --quiet --include="$packages" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='force-unsafe-io' \
  --aptopt='Acquire::Languages "none"' --aptopt='APT::Install-Recommends "false"' \
  "$suite" "$root" "${sources[@]}"

install -d -m 700 "$root/root/.ssh"
install -m 600 "$out/id_fleet.pub" "$root/root/.ssh/authorized_keys"
printf 'PermitRootLogin prohibit-password\nPasswordAuthentication no\nUseDNS no\n' >"$root/etc/ssh/sshd_config.d/10-fleet.conf"
# Each host gets its own.
rm -f "$root"/etc/ssh/ssh_host_* "$root/etc/hostname"
: >"$root/etc/machine-id"

# The card: the mstconfig of the VM lab, and functions in sysfs for it to be asked about.
install -D -m 755 -t "$root/usr/bin" "$here/../vm/guest/mstconfig"
install -D -m 755 -t "$root/usr/lib/fleet" "$here/guest/fleet-card"
install -D -m 644 -t "$root/etc/systemd/system" "$here/guest/fleet-card.service"
for layer in default current next; do install -D -m 644 "$here/../vm/guest/settings" "$root/var/lib/vmlab/settings/$layer"; done

for unit in fleet-card.service systemd-networkd.service ssh.service; do
  chroot "$root" systemctl enable --quiet "$unit"
done
chroot "$root" systemctl set-default --quiet multi-user.target
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \
  systemd-networkd-wait-online.service console-getty.service getty.target; do
  chroot "$root" systemctl mask --quiet "$unit" 2>/dev/null
done
# A unit that hangs must not make a reboot last 90 s.
install -d "$root/etc/systemd/system.conf.d"
printf '[Manager]\nDefaultTimeoutStopSec=15s\n' >"$root/etc/systemd/system.conf.d/fleet.conf"
echo "root file system: $(du -sm "$root" | cut -f1) MB"
