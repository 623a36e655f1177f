#!/usr/bin/env bash
# The suites on virtual machines (ctest label `vm`, by hand: tests/vm/run.sh FABRIC_BINARY [SCENARIO...]).
# Installs QEMU and what builds the image, builds it once into $VMLAB_DIR (/tmp/vmlab), starts four machines and
# ends them; VMLAB_STACKS="networkd ifupdown" takes two. VMLAB_IB="n1.0 n2.0" makes InfiniBand of those ports, by
# a software HCA, and runs the scenarios that need it. Needs root for the image and about 2 GB of disk; no KVM.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../cmake/packages.sh"
install_packages qemu-system-x86 qemu-utils mmdebstrap e2fsprogs zstd xz-utils cpio kmod busybox-static openssh-client gcc make \
  python3
fabric=$(readlink -f "$1")
shift
export VMLAB_DIR=${VMLAB_DIR:-/tmp/vmlab}
key=$(cat "$here"/build-image.sh "$here"/guest/* "$here"/fakeib/* | sha256sum | cut -d' ' -f1)
if [ "$(cat "$VMLAB_DIR/key" 2>/dev/null)" != "$key" ] || [ ! -s "$VMLAB_DIR/base.qcow2" ]; then
  "$here/build-image.sh" "$VMLAB_DIR"
  echo "$key" >"$VMLAB_DIR/key"
fi
run=$VMLAB_DIR/run
"$here/down.sh" -p "$run"
trap '"$here/down.sh" -p "$run"' EXIT
export VMLAB_STACKS=${VMLAB_STACKS:-networkd ifupdown netplan networkmanager}
"$here/up.sh" -n "$(wc -w <<<"$VMLAB_STACKS")" -s "$VMLAB_STACKS" -i "${VMLAB_IB:-}" -w 600 "$run"
VMLAB_RUN=$run "$here/ctl.sh" save clean
/usr/bin/python3 "$here/suite.py" "$fabric" "$run" "$@"
