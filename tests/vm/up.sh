#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# up.sh - boot N VMs from the base image, cable them, wait for SSH.
#
#   up.sh [-n N] [-t pairs|ring|none] [-c "n1.0-n2.0 n1.1-n2.1"] [-s "ifupdown networkd ..."]
#         [-i "n1.0 n2.0"] [-a tcg|kvm|auto] [-m MB] [-r SNAPSHOT] [-w SECONDS] [-k] [RUNDIR]
#
#   -t pairs   n1.0-n2.0 n1.1-n2.1 n3.0-n4.0 ... : two cables between the members of a pair,
#              what a LAG needs (default)
#   -t ring    n1.0-n2.1 n2.0-n3.1 ... nN.0-n1.1
#   -c LIST    any other cabling; a port is <vm>.<0|1>
#   -s LIST    network stack per VM, the last one repeats: ifupdown | ifupdown2 | networkd | netplan |
#              networkmanager
#   -a auto    KVM when a probe shows that it really runs the kernel, else TCG (default)
#   -r NAME    resume the snapshot NAME (made by snap.sh) instead of booting
#   -i LIST    ports that are InfiniBand instead of Ethernet, e.g. "n1.0 n2.0" (needs fakeib.ko)
#   -x         the two ports of each card are joined by chain.py, as host chaining joins them
#   -k         keep the overlays of an earlier run (default: throw them away)
#
# In RUNDIR (default $VMLAB_DIR/run): ssh_config, known_hosts, nX/{disk.qcow2,serial.log,qmp,hmp,pid}
#   ssh -F RUNDIR/ssh_config n1 ...      (user root; -l ops for the sudo user)
#
# Only loopback ports and unix sockets are used; no root, no tap, no bridge is needed.
set -euo pipefail

LAB=${VMLAB_DIR:-/tmp/vmlab}
N=4 TOPO=pairs CABLES='' IBPORTS='' STACKS=ifupdown ACCEL=auto MEM=384 RESUME='' WAIT=300 KEEP=0 CHAIN=0
PORT0=${VMLAB_PORT:-22100}      # n1 = PORT0+1, ...
# VMLAB_NICOPT: more options for the data ports, e.g. host_mtu=4200 (a card that cannot do 9000)
# VMLAB_CMDLINE: more kernel arguments; VMLAB_RESTRICT=off: let the guests reach the network (apt)
TB=${VMLAB_TB:-192}             # MB of TCG code cache per VM (QEMU's default: up to 1 GB)
while getopts n:t:c:s:i:a:m:r:w:kx o; do
  case $o in
    n) N=$OPTARG;; t) TOPO=$OPTARG;; c) CABLES=$OPTARG;; s) STACKS=$OPTARG;; i) IBPORTS=$OPTARG;; a) ACCEL=$OPTARG;;
    m) MEM=$OPTARG;; r) RESUME=$OPTARG;; w) WAIT=$OPTARG;; k) KEEP=1;; x) CHAIN=1;; *) exit 2;;
  esac
done
shift $((OPTIND - 1))
RUN=${1:-$LAB/run}
mkdir -p "$RUN"
RUN=$(cd "$RUN" && pwd)
[ ${#RUN} -lt 80 ] || { echo "RUNDIR too long for unix sockets (108 bytes)" >&2; exit 2; }

# ---- accelerator ----------------------------------------------------------------------------
# A /dev/kvm that opens is not proof: under PVM it takes minutes for what TCG does in a second.
# -arch-capabilities: PVM refuses MSR 0x10a and QEMU aborts otherwise.
# The probe: the kernel must reach "no init" panic (no initrd given) within 6 s (1-2 s on real KVM).
kvm_works() {
  [ -w /dev/kvm ] || return 1
  local log; log=$(mktemp)
  timeout 6 qemu-system-x86_64 -M q35 -accel kvm -cpu host,-arch-capabilities -m 256 -display none \
    -nodefaults -no-reboot -serial "file:$log" -kernel "$LAB/vmlinux" \
    -append 'console=ttyS0 panic=-1 root=/dev/none' </dev/null >/dev/null 2>&1 || true
  local rc=1; grep -aq 'Kernel panic - not syncing: VFS' "$log" && rc=0
  rm -f "$log"; return $rc
}
if [ "$ACCEL" = auto ]; then if kvm_works; then ACCEL=kvm; else ACCEL=tcg; fi; fi
case $ACCEL in
  kvm) CPU=(-accel kvm -cpu host,-arch-capabilities);;
  tcg) CPU=(-accel "tcg,thread=multi,tb-size=$TB" -cpu max);;
esac

# ---- cables ---------------------------------------------------------------------------------
if [ -z "$CABLES" ]; then
  case $TOPO in
    pairs) for ((i = 1; i < N; i += 2)); do CABLES+=" n$i.0-n$((i+1)).0 n$i.1-n$((i+1)).1"; done;;
    ring)  for ((i = 1; i <= N; i++)); do CABLES+=" n$i.0-n$((i % N + 1)).1"; done;;
    none)  ;;
  esac
fi
declare -A PEER
for c in $CABLES; do a=${c%-*} b=${c#*-}; PEER[$a]=$b; PEER[$b]=$a; done

# ---- kernel command line --------------------------------------------------------------------
# norandmaps: where programs and libraries lie at the same addresses each time, TCG finds again what it translated before. A
# process costs 9 ms instead of 35, a login 0.6 s instead of 1.1, a boot 22 s of processor instead of 38.
CMDLINE="console=ttyS0 panic=-1 quiet loglevel=3 mitigations=off nokaslr random.trust_cpu=on \
audit=0 apparmor=0 selinux=0 nowatchdog no_timer_check cryptomgr.notests norandmaps init_on_alloc=0 8250.nr_uarts=1 \
net.ifnames=1 systemd.show_status=0 ${VMLAB_CMDLINE:-}"

stack_of() { set -- $STACKS; local i=$VMI; while [ $# -gt 1 ] && [ "$i" -gt 1 ]; do shift; i=$((i-1)); done; echo "$1"; }

# ---- one VM's personality: a small cpio appended to the common initrd -----------------------
# The initramfs copies it over / once, on the first boot of a fresh overlay.
make_seed() { # vm index
  local vm=$1 s=$RUN/$1/seed; VMI=$2
  rm -rf "$s"; mkdir -p "$s/seed/etc/ssh"
  local e=$s/seed/etc
  echo "$vm" >"$e/hostname"
  { echo "127.0.0.1 localhost"; for ((j = 1; j <= N; j++)); do echo "192.0.2.$j n$j"; done; echo "127.0.1.1 $vm"; } >"$e/hosts"
  printf '%032x\n' $((0xfab0000000 + VMI)) >"$e/machine-id"
  ssh-keygen -q -t ed25519 -N '' -C "$vm" -f "$e/ssh/ssh_host_ed25519_key"
  case $(stack_of) in
    ifupdown | ifupdown2)
      mkdir -p "$e/network/interfaces.d"
      printf 'auto enp0s2\niface enp0s2 inet static\n\taddress 10.0.2.15/24\n\tgateway 10.0.2.2\n' \
        >"$e/network/interfaces.d/mgmt";;
    netplan)
      mkdir -p "$e/netplan" "$e/systemd/system/multi-user.target.wants"
      printf 'network:\n  version: 2\n  renderer: networkd\n  ethernets:\n    enp0s2:\n      addresses: [10.0.2.15/24]\n      routes: [{to: default, via: 10.0.2.2}]\n' \
        >"$e/netplan/10-mgmt.yaml"
      chmod 600 "$e/netplan/10-mgmt.yaml"
      ln -s /lib/systemd/system/systemd-networkd.service "$e/systemd/system/multi-user.target.wants/"
      ln -s /dev/null "$e/systemd/system/networking.service";;
    networkmanager)
      mkdir -p "$e/NetworkManager/system-connections" "$e/systemd/system/multi-user.target.wants"
      printf '[connection]\nid=mgmt\ntype=ethernet\ninterface-name=enp0s2\n\n[ipv4]\nmethod=manual\naddress1=10.0.2.15/24,10.0.2.2\n\n[ipv6]\nmethod=disabled\n' \
        >"$e/NetworkManager/system-connections/mgmt.nmconnection"
      chmod 600 "$e/NetworkManager/system-connections/mgmt.nmconnection"
      ln -s /lib/systemd/system/NetworkManager.service "$e/systemd/system/multi-user.target.wants/"
      ln -s /dev/null "$e/systemd/system/networking.service";;
    networkd)
      mkdir -p "$e/systemd/network" "$e/systemd/system/multi-user.target.wants" "$e/systemd/system/sockets.target.wants"
      printf '[Match]\nName=enp0s2\n[Network]\nAddress=10.0.2.15/24\nGateway=10.0.2.2\n[Link]\nRequiredForOnline=yes\n' \
        >"$e/systemd/network/10-mgmt.network"
      ln -s /lib/systemd/system/systemd-networkd.service "$e/systemd/system/multi-user.target.wants/"
      ln -s /lib/systemd/system/systemd-networkd.service "$e/systemd/system/dbus-org.freedesktop.network1.service"
      ln -s /lib/systemd/system/systemd-networkd.socket "$e/systemd/system/sockets.target.wants/"
      ln -s /dev/null "$e/systemd/system/networking.service";;
  esac
  local w=() test=
  for p in 0 1; do case " $IBPORTS " in *" $vm.$p "*) w+=("enp0s16f$p"); test+="[ -e /sys/class/net/enp0s16f$p ] && ";; esac; done
  if [ ${#w[@]} -gt 0 ]; then
    mkdir -p "$e/modprobe.d" "$e/udev/rules.d"
    echo "options fakeib wire=$(IFS=,; echo "${w[*]}")" >"$e/modprobe.d/fakeib.conf"
    # The wire must have its final name; rdma-core then loads ib_ipoib, ib_umad ... as for real cards.
    { printf 'ACTION=="add", SUBSYSTEM=="net", NAME=="enp0s16f[01]", RUN+="/bin/sh -c '"'%smodprobe fakeib'"'"\n' "$test"
      echo 'ACTION=="add", SUBSYSTEM=="infiniband", ENV{ID_RDMA_INFINIBAND}="1"'; } >"$e/udev/rules.d/85-fakeib.rules"
  fi
  (cd "$s" && find . | cpio -o -H newc -R 0:0 --quiet) | cat "$LAB/initrd.cpio" - >"$RUN/$vm/initrd"
  echo "$vm $(cut -d' ' -f1,2 "$e/ssh/ssh_host_ed25519_key.pub")" >>"$RUN/known_hosts"
  rm -rf "$s"
}

# ---- start ----------------------------------------------------------------------------------
t0=$(date +%s.%N)
since() { awk -v a="$(date +%s.%N)" -v b="$t0" 'BEGIN{printf "%.1f", a-b}'; }
[ "$KEEP" = 1 ] || [ -n "$RESUME" ] || : >"$RUN/known_hosts"
cat >"$RUN/ssh_config" <<X
Host n*
  HostName 127.0.0.1
  User root
  IdentityFile $LAB/id_lab
  IdentitiesOnly yes
  UserKnownHostsFile $RUN/known_hosts
  StrictHostKeyChecking yes
  BatchMode yes
  ConnectTimeout 3
  LogLevel ERROR
X
if [ "$CHAIN" = 1 ]; then
  for ((i = 1; i <= N; i++)); do mkdir -p "$RUN/n$i"; done
  # shellcheck disable=SC2086 # a list
  python3 "$(dirname "$(readlink -f "$0")")/chain.py" "$RUN" "$N" $CABLES </dev/null >"$RUN/chain.log" 2>&1 &
  echo $! >"$RUN/chain.pid"
fi
for ((i = 1; i <= N; i++)); do
  vm=n$i d=$RUN/n$i; mkdir -p "$d"
  if [ -s "$d/pid" ] && kill -0 "$(cat "$d/pid")" 2>/dev/null; then echo "$vm already runs" >&2; exit 1; fi
  rm -f "$d"/{qmp,hmp,port0,port1}
  printf 'Host %s\n  Port %d\n  HostKeyAlias %s\n' "$vm" $((PORT0 + i)) "$vm" >>"$RUN/ssh_config"
  if [ "$KEEP" = 0 ] && [ -z "$RESUME" ]; then
    VMI=$i
    case $(stack_of) in ifupdown2) image=ifupdown2;; *) image=base;; esac
    qemu-img create -q -f qcow2 -F qcow2 -b "$LAB/$image.qcow2" "$d/disk.qcow2"
    make_seed "$vm" "$i"
  fi
  nics=()
  for p in 0 1; do
    # dgram over unix sockets: no port, no connection order, and one side may restart at any time.
    peer=${PEER[$vm.$p]:-}
    if [ "$CHAIN" = 1 ]; then
      nd="dgram,id=port$p,local.type=unix,local.path=$d/port$p,remote.type=unix,remote.path=$d/card$p"
    elif [ -n "$peer" ]; then
      nd="dgram,id=port$p,local.type=unix,local.path=$d/port$p,remote.type=unix,remote.path=$RUN/${peer%.*}/port${peer#*.}"
    else
      nd="dgram,id=port$p,local.type=unix,local.path=$d/port$p,remote.type=unix,remote.path=$d/unplugged$p"
    fi
    # One dual-port card at 00:10.0/.1 -> enp0s16f0, enp0s16f1. e1000, because its interfaces stand
    # right below the PCI function as those of a ConnectX do, and because it has a link speed: without
    # one a bond of mode 4 never aggregates. Not e1000e: that of QEMU 7.2 tells the guest of its first
    # change of link and of no other, so that a pulled cable goes unnoticed.
    nics+=(-netdev "$nd" -device "e1000,netdev=port$p,id=nic$p,mac=$(printf '52:54:00:fa:%02x:%02x' "$i" "$p"),bus=pcie.0,addr=0x10.$p,multifunction=on,romfile=${VMLAB_NICOPT:+,$VMLAB_NICOPT}")
  done
  qemu-system-x86_64 -name "$vm" -M q35,usb=off,sata=off,smbus=off "${CPU[@]}" -smp 1 -m "$MEM" \
    -nodefaults -display none -no-user-config -rtc base=utc,clock=host \
    -kernel "$LAB/vmlinux" -initrd "$d/initrd" -append "$CMDLINE" \
    -drive "file=$d/disk.qcow2,if=none,id=root,cache=unsafe,discard=unmap" -device virtio-blk-pci,drive=root,addr=0x3 \
    -netdev "user,id=mgmt,restrict=${VMLAB_RESTRICT:-on},ipv6=off,hostfwd=tcp:127.0.0.1:$((PORT0 + i))-:22" \
    -device "virtio-net-pci,netdev=mgmt,mac=$(printf '52:54:00:fa:%02x:ff' "$i"),addr=0x2,romfile=" \
    "${nics[@]}" \
    -serial "file:$d/serial.log" -monitor "unix:$d/hmp,server=on,wait=off" -qmp "unix:$d/qmp,server=on,wait=off" \
    ${RESUME:+-loadvm "$RESUME"} -pidfile "$d/pid" -daemonize
done
echo "started $N VMs with $ACCEL at $(since)s: $CABLES"

# ---- wait -----------------------------------------------------------------------------------
# slirp accepts on the forwarded port before the guest listens, so only the banner counts; reading
# it is also much cheaper for the guest than a whole login (about 1 s of its CPU under TCG).
banner() { # port
  local l=; exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
  read -r -t 2 l <&3 || true; exec 3>&-; [[ $l == SSH-2.0-* ]]
}
wait_for() { # i
  local i=$1
  until (banner $((PORT0 + i))) 2>/dev/null; do
    kill -0 "$(cat "$RUN/n$i/pid")" 2>/dev/null || { echo "n$i died; see $RUN/n$i/serial.log" >&2; return 1; }
    awk -v s="$(since)" -v w="$WAIT" 'BEGIN{exit !(s>w)}' && { echo "n$i: no SSH after $WAIT s" >&2; tail -n 20 "$RUN/n$i/serial.log" >&2; return 1; }
    sleep 0.3
  done
  # A resumed VM believes it is still the time of the snapshot, but its RTC follows the host.
  if [ -n "$RESUME" ]; then ssh -F "$RUN/ssh_config" -o ConnectTimeout=60 "n$i" 'hwclock -s'
  else ssh -F "$RUN/ssh_config" -o ConnectTimeout=60 "n$i" true; fi
  echo "n$i: SSH at $(since)s"
}
ws=()
for ((i = 1; i <= N; i++)); do wait_for "$i" & ws+=($!); done
rc=0; for w in "${ws[@]}"; do wait "$w" || rc=1; done
exit $rc
