#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build-image.sh - build the ONE base image of the fabric VM lab.
#
#   build-image.sh [OUTDIR]            (default: $VMLAB_DIR or /tmp/vmlab)
#
# Makes in OUTDIR:
#   base.qcow2   Debian 12 root file system (ext4 on the whole disk, no partition table)
#   ifupdown2.qcow2  the same with ifupdown2 in the place of ifupdown and ifenslave, which it conflicts with
#   vmlinuz      stock Debian kernel (bzImage)
#   vmlinux      the same kernel unpacked (ELF with PVH note): TCG boots it without
#                spending seconds in the decompressor
#   initrd.cpio  a 2 MB hand-made initramfs: busybox + the few modules needed to mount /
#   id_lab(.pub) the SSH key the tool under test logs in with
#   manifest.txt packages and versions, for a cache key / bug reports
#
# Needs root (mmdebstrap --mode=root: chroot + bind mounts), apt, no loop device, no KVM.
# Host packages: mmdebstrap e2fsprogs qemu-utils cpio busybox-static kmod openssh-client
#                zstd xz-utils (for unpacking vmlinuz); gcc make linux-headers-amd64 (for fakeib)
set -euo pipefail

HERE=$(cd "$(dirname "$0")" && pwd)
OUT=${1:-${VMLAB_DIR:-/tmp/vmlab}}
SUITE=${SUITE:-bookworm}
# The mirrors that this host's own apt uses; both can be given by hand, and SECURITY may be empty.
apt_uri() { apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null | awk -v r="$1" '$2==r{print $1; exit}'; }
MIRROR=${MIRROR:-$(apt_uri "$SUITE")}
SECURITY=${SECURITY-$(apt_uri "$SUITE-security")}
DISK_SIZE=${DISK_SIZE:-3G}                                   # virtual size; sparse
EXTRA_PKGS=${EXTRA_PKGS:-}

PKGS=(
  linux-image-amd64 tiny-initramfs      # NOT linux-image-cloud-amd64: it has no rdma_rxe, no ib_ipoib
  systemd systemd-sysv udev dbus libpam-systemd
  openssh-server sudo ca-certificates
  iproute2 ifupdown ifenslave iputils-ping ethtool lldpd procps kmod pciutils
  rdma-core ibverbs-providers ibverbs-utils infiniband-diags rdmacm-utils perftest opensm
  network-manager netplan.io iperf3
)
read -r -a extra <<<"$EXTRA_PKGS"; PKGS+=("${extra[@]}")

mkdir -p "$OUT"
ROOT=$OUT/rootfs
rm -rf --one-file-system "$ROOT"
t0=$(date +%s.%N)
lap() { printf '%6.1fs  %s\n' "$(echo "$(date +%s.%N) $t0" | awk '{print $1-$2}')" "$*"; }

# ---- 1. SSH key -----------------------------------------------------------------------------
[ -s "$OUT/id_lab" ] || ssh-keygen -q -t ed25519 -N '' -C vmlab -f "$OUT/id_lab"

# ---- 2. root file system --------------------------------------------------------------------
# Path excludes are dpkg options, so excluded files are never written: this cuts the kernel from
# 400 MB to about 90 MB. They also stay in force inside the image (apt install there stays small).
cat >"$OUT/dpkg-excludes" <<'X'
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/man/*
path-exclude=/usr/share/info/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/lintian/*
path-exclude=/usr/share/bug/*
path-exclude=/lib/modules/*/kernel/sound/*
path-exclude=/lib/modules/*/kernel/drivers/gpu/*
path-exclude=/lib/modules/*/kernel/drivers/media/*
path-exclude=/lib/modules/*/kernel/drivers/staging/*
path-exclude=/lib/modules/*/kernel/drivers/net/wireless/*
path-exclude=/lib/modules/*/kernel/drivers/iio/*
path-exclude=/lib/modules/*/kernel/drivers/usb/*
path-exclude=/lib/modules/*/kernel/drivers/input/*
path-exclude=/lib/modules/*/kernel/drivers/hid/*
path-exclude=/lib/modules/*/kernel/drivers/scsi/*
path-exclude=/lib/modules/*/kernel/drivers/mtd/*
path-exclude=/lib/modules/*/kernel/drivers/isdn/*
path-exclude=/lib/modules/*/kernel/drivers/hwmon/*
path-exclude=/lib/modules/*/kernel/drivers/ata/*
path-exclude=/lib/modules/*/kernel/drivers/bluetooth/*
path-exclude=/lib/modules/*/kernel/net/bluetooth/*
path-exclude=/lib/modules/*/kernel/net/wireless/*
path-exclude=/lib/modules/*/kernel/net/mac80211/*
path-exclude=/lib/modules/*/kernel/arch/x86/kvm/*
path-exclude=/lib/modules/*/kernel/arch/x86/crypto/*
path-exclude=/lib/modules/*/kernel/drivers/crypto/*
path-exclude=/lib/modules/*/kernel/drivers/cpufreq/*
path-exclude=/lib/modules/*/kernel/drivers/watchdog/*
path-exclude=/lib/modules/*/kernel/drivers/mfd/*
X
sources=("deb $MIRROR $SUITE main" "deb $MIRROR $SUITE-updates main")
[ -z "$SECURITY" ] || sources+=("deb $SECURITY $SUITE-security main")

mmdebstrap --mode=root --variant=minbase --format=directory --quiet \
  --include="$(IFS=,; echo "${PKGS[*]}")" \
  --dpkgopt="$OUT/dpkg-excludes" --dpkgopt='force-unsafe-io' \
  --aptopt='Acquire::Languages "none"' --aptopt='APT::Install-Recommends "false"' \
  --skip=check/qemu \
  "$SUITE" "$ROOT" "${sources[@]}"
lap "mmdebstrap done ($(du -sm "$ROOT" | cut -f1) MB)"

# ---- 3. make it a lab host ------------------------------------------------------------------
inr() { chroot "$ROOT" "$@"; }
inr dpkg-query -W -f '${Package} ${Version}\n' >"$OUT/manifest.txt"

install -d -m 700 "$ROOT/root/.ssh"
install -m 600 "$OUT/id_lab.pub" "$ROOT/root/.ssh/authorized_keys"
# An ordinary administrator with password-less sudo: the tool must not depend on root logins.
inr useradd -m -s /bin/bash -G sudo ops
echo 'ops ALL=(ALL) NOPASSWD: ALL' >"$ROOT/etc/sudoers.d/ops"; chmod 440 "$ROOT/etc/sudoers.d/ops"
install -d -m 700 "$ROOT/home/ops/.ssh"
install -m 600 "$OUT/id_lab.pub" "$ROOT/home/ops/.ssh/authorized_keys"
inr chown -R ops:ops /home/ops

cat >"$ROOT/etc/ssh/sshd_config.d/10-lab.conf" <<'X'
PermitRootLogin prohibit-password
PasswordAuthentication no
UseDNS no
X
# A third of what a login costs: a user's own service manager, started and ended with each, and a greeting.
sed -i '/pam_systemd/d' "$ROOT/etc/pam.d/common-session"
sed -i '/pam_motd/d' "$ROOT/etc/pam.d/sshd"
rm -f "$ROOT"/etc/ssh/ssh_host_*            # each VM gets its own in its seed
: >"$ROOT/etc/machine-id"                   # likewise
rm -f "$ROOT/etc/hostname"
echo '/dev/vda / ext4 defaults,noatime 0 1' >"$ROOT/etc/fstab"
printf 'source /etc/network/interfaces.d/*\n\nauto lo\niface lo inet loopback\n' >"$ROOT/etc/network/interfaces"

# The card: settings that wait for a boot, and two ports that sysfs shows as one ConnectX-5.
install -d "$ROOT/usr/lib/vmlab" "$ROOT/var/lib/vmlab/settings"
install -m 755 "$HERE/guest/mstconfig" "$ROOT/usr/bin/mstconfig"
install -m 755 "$HERE/guest/vmlab-card" "$ROOT/usr/lib/vmlab/vmlab-card"
install -m 644 "$HERE/guest/vmlab-card.service" "$ROOT/etc/systemd/system/vmlab-card.service"
echo 0x15b3 >"$ROOT/usr/lib/vmlab/vendor"
echo 0x1017 >"$ROOT/usr/lib/vmlab/device"
for layer in default current next; do install -m 644 "$HERE/guest/settings" "$ROOT/var/lib/vmlab/settings/$layer"; done
inr systemctl enable --quiet vmlab-card

# Things that only cost boot time in a lab.
for u in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
         e2scrub_reap.service fstrim.timer getty@tty1.service systemd-timesyncd.service \
         NetworkManager.service NetworkManager-wait-online.service opensm.service rdma-hw.target; do
  inr systemctl disable --quiet "$u" 2>/dev/null || true
done
inr systemctl mask --quiet systemd-pcrphase.service systemd-pcrphase-sysinit.service \
  modprobe@dm_mod.service modprobe@drm.service modprobe@fuse.service modprobe@efi_pstore.service \
  modprobe@loop.service systemd-binfmt.service proc-sys-fs-binfmt_misc.automount \
  sys-fs-fuse-connections.mount systemd-update-utmp-runlevel.service 2>/dev/null || true
inr systemctl set-default --quiet multi-user.target
inr systemctl enable --quiet ssh lldpd serial-getty@ttyS0 2>/dev/null || true
# Kill slow shutdowns: a unit that hangs must not make a reboot test last 90 s.
install -d "$ROOT/etc/systemd/system.conf.d" "$ROOT/etc/systemd/journald.conf.d"
printf '[Manager]\nDefaultTimeoutStopSec=15s\nShowStatus=no\n' >"$ROOT/etc/systemd/system.conf.d/lab.conf"
printf '[Journal]\nStorage=persistent\nSystemMaxUse=32M\n' >"$ROOT/etc/systemd/journald.conf.d/lab.conf"
lap "configured"

# ---- 4. kernel and initramfs ----------------------------------------------------------------
KVER=$(ls "$ROOT/lib/modules" | sort -V | tail -1)
cp "$ROOT/boot/vmlinuz-$KVER" "$OUT/vmlinuz"
rm -f "$ROOT"/boot/initrd.img-*

# The payload of a bzImage: find its magic and unpack it. QEMU boots the ELF through its PVH note.
unpack_vmlinux() {
  local magic tool off
  for spec in '\x28\xb5\x2f\xfd:zstd -dcq' '\xfd7zXZ\x00:xz -dcq' '\x1f\x8b\x08:gzip -dcq'; do
    magic=${spec%%:*} tool=${spec#*:}
    for off in $(LC_ALL=C grep -abPo "$magic" "$1" | cut -d: -f1); do
      tail -c +$((off + 1)) "$1" | $tool >"$2" 2>/dev/null || true
      if [ "$(head -c4 "$2" | od -An -tx1 | tr -d ' \n')" = 7f454c46 ]; then return 0; fi
    done
  done
  rm -f "$2"; return 1
}
unpack_vmlinux "$OUT/vmlinuz" "$OUT/vmlinux" || echo "warning: vmlinuz not unpacked" >&2

# Optional: the software InfiniBand HCA (fakeib/), for ib_ipoib and opensm without hardware.
if [ -d "$HERE/fakeib" ]; then
  [ -d "/usr/src/linux-headers-$KVER" ] ||
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "linux-headers-$KVER" >/dev/null 2>&1 || true
  rm -rf "$OUT/fakeib"; cp -r "$HERE/fakeib" "$OUT/fakeib"
  if make -s -C "$OUT/fakeib" KDIR="/usr/src/linux-headers-$KVER" >"$OUT/fakeib.log" 2>&1; then
    install -d "$ROOT/lib/modules/$KVER/extra"
    strip -d -o "$ROOT/lib/modules/$KVER/extra/fakeib.ko" "$OUT/fakeib/fakeib.ko"
    depmod -b "$ROOT" "$KVER"
    lap "fakeib.ko built"
  else
    echo "warning: fakeib not built, see $OUT/fakeib.log (headers of $KVER missing?): no InfiniBand ports" >&2
  fi
fi

I=$OUT/initramfs; rm -rf "$I"; mkdir -p "$I"/{bin,dev,proc,sys,newroot,modules,seed}
cp "$(command -v busybox)" "$I/bin/busybox"
for m in virtio_pci virtio_mmio virtio_blk ext4 crc32c_generic; do
  modprobe -d "$ROOT" -S "$KVER" --show-depends "$m" | awk '$1=="insmod"{print $2}'
done | awk '!s[$0]++' | while read -r ko; do
  cp "$ko" "$I/modules/"; basename "$ko" >>"$I/modules/order"
done
cat >"$I/init" <<'X'
#!/bin/busybox sh
# Mount /dev/vda, apply this VM's seed once, switch to systemd. Nothing else.
b=/bin/busybox
$b mount -t devtmpfs dev /dev; $b mount -t proc proc /proc; $b mount -t sysfs sys /sys
while read -r m; do $b insmod /modules/$m 2>/dev/null; done </modules/order
n=0; while [ ! -b /dev/vda ] && [ $n -lt 200 ]; do $b usleep 50000; n=$((n+1)); done
$b mount -t ext4 -o rw,noatime /dev/vda /newroot || { echo "lab: no root"; exec $b sh; }
if [ ! -e /newroot/etc/lab-seeded ]; then       # only on a fresh overlay: later boots keep
  $b cp -a /seed/. /newroot/ && : >/newroot/etc/lab-seeded    # whatever the tool wrote
fi
$b umount /proc; $b umount /sys; $b mount --move /dev /newroot/dev
exec $b switch_root /newroot /lib/systemd/systemd
X
chmod 755 "$I/init"
(cd "$I" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) >"$OUT/initrd.cpio"
lap "kernel $KVER, initrd $(du -k "$OUT/initrd.cpio" | cut -f1) kB"

# ---- 5. disks -------------------------------------------------------------------------------
make_disk() { # name
  rm -f "$OUT/$1.raw" "$OUT/$1.qcow2"
  mke2fs -q -t ext4 -L labroot -m 0 -O ^has_journal -E lazy_itable_init=1 -d "$ROOT" "$OUT/$1.raw" "$DISK_SIZE"
  tune2fs -O has_journal "$OUT/$1.raw" >/dev/null      # journal last: mke2fs -d is faster without
  qemu-img convert -O qcow2 "$OUT/$1.raw" "$OUT/$1.qcow2"
  rm -f "$OUT/$1.raw"
  lap "$1.qcow2 $(du -m "$OUT/$1.qcow2" | cut -f1) MB"
}
make_disk base

# No service is started in a chroot; the mirror's name has to be found there.
cp /etc/resolv.conf "$ROOT/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' >"$ROOT/usr/sbin/policy-rc.d"; chmod 755 "$ROOT/usr/sbin/policy-rc.d"
inr apt-get update -qq
inr env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ifupdown2 ifenslave- >"$OUT/ifupdown2.log" 2>&1
inr systemctl enable --quiet networking
inr apt-get clean
rm -f "$ROOT/etc/resolv.conf" "$ROOT/usr/sbin/policy-rc.d" "$ROOT"/var/lib/apt/lists/*_*
inr dpkg-query -W -f '${Package} ${Version}\n' ifupdown2 python3 >>"$OUT/manifest.txt"
make_disk ifupdown2
rm -rf --one-file-system "$ROOT" "$I"
