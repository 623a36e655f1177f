#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The suites on virtual machines (ctest label `vm`, by hand: tests/vm/run.sh FABRIC_BINARY [SCENARIO...]).
# Installs QEMU and what builds the image, builds it once into $VMLAB_DIR (/tmp/vmlab), starts four machines and
# ends them. Needs root for the image and about 2 GB of disk; no KVM.
#   VMLAB_STACKS="networkd ifupdown"  the network stack of each machine (ifupdown2, netplan and networkmanager are the others); two
#                                     machines take half the time of four
#   VMLAB_RING=1                      cabled in a ring whose cards forward; runs the scenarios of a ring
#   VMLAB_IB="n1.0 n2.0"              these ports are InfiniBand, by a software HCA; runs the scenarios that need it
#   VMLAB_TOOL=trixie                 the real mstconfig of that release of Debian in place of the one in pretence (tests/real_tools)
#   VMLAB_PORT=22200                  SSH ports count on from there, so that a second set of machines can run beside
#   VMLAB_TRIES=2                     a scenario that fails is tried again
#   VMLAB_SECONDS=900                 no longer than that from the first boot; what was not reached is no failure
# Exit 77: no machine could be had here, or the time was over.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../cmake/packages.sh"
skip() { echo "vm: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "needs root for the image"
install_packages qemu-system-x86 qemu-utils mmdebstrap e2fsprogs zstd xz-utils cpio kmod busybox-static openssh-client gcc make \
  python3 || skip "QEMU could not be installed"
fabric=$(readlink -f "$1")
shift
export VMLAB_DIR=${VMLAB_DIR:-/tmp/vmlab}
key=$(cat "$here"/build-image.sh "$here"/guest/* "$here"/fakeib/* | sha256sum | cut -d' ' -f1)
if [ "$(cat "$VMLAB_DIR/key" 2>/dev/null)" != "$key" ] || [ ! -s "$VMLAB_DIR/ifupdown2.qcow2" ]; then
  timeout 900 "$here/build-image.sh" "$VMLAB_DIR" || skip "no image could be built"
  echo "$key" >"$VMLAB_DIR/key"
fi
run=$VMLAB_DIR/run${VMLAB_PORT:-}
"$here/down.sh" -p "$run"
trap '"$here/down.sh" -p "$run"' EXIT
export VMLAB_STACKS=${VMLAB_STACKS:-networkd ifupdown netplan networkmanager}
ring=()
[ -z "${VMLAB_RING:-}" ] || ring=(-t ring -x)
"$here/up.sh" "${ring[@]}" -n "$(wc -w <<<"$VMLAB_STACKS")" -s "$VMLAB_STACKS" -i "${VMLAB_IB:-}" -w 600 "$run" || skip "the machines do not start"
[ -z "${VMLAB_TOOL:-}" ] || "$here/../real_tools/into_machines.py" "$VMLAB_TOOL" "$run" || skip "no real mstconfig"
VMLAB_RUN=$run "$here/ctl.sh" save clean
timeout --preserve-status -k 60 "${VMLAB_SECONDS:-0}" /usr/bin/python3 "$here/suite.py" "$fabric" "$run" "$@"
