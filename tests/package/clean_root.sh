#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the package in a clean Debian 12 and does there what a new user does: clean_root.sh BUILD_DIR
#
# Root, debootstrap and a mirror are needed; without them it is skipped (77). The root has no compiler and nothing by hand: what
# is installed besides is what the package names. A user without privileges starts the lab, plans, applies, verifies.
set -euo pipefail
build=$(realpath "$1")
source=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "$*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "needs root"
for tool in debootstrap cpack unshare; do command -v "$tool" >/dev/null || skip "$tool is not here"; done
mirror=$(awk '$1 == "URIs:" {print $2; exit} $1 == "deb" {for (i = 2; i <= NF; i++) if ($i ~ /^http/) {print $i; exit}}' \
  /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null | head -1) || true
[ -n "$mirror" ] || skip "no mirror of Debian is known here"

work=$(mktemp -d)
# Mounts of the root are those of a namespace of its own, and end with it.
trap 'rm -rf --one-file-system "$work"' EXIT
cmake --build "$build" --target fabric fabric_reference >/dev/null
(cd "$build" && cpack -G DEB -B "$work/package" >/dev/null 2>&1)
package=$(ls "$work"/package/*.deb)
depends=$(dpkg-deb -f "$package" Depends)
echo "$(basename "$package"): $(($(stat -c %s "$package") / 1024)) KiB, needs $depends"

begin=$SECONDS
debootstrap --variant=minbase bookworm "$work/root" "$mirror" >"$work/log" 2>&1 || {
  tail -5 "$work/log"
  skip "no root could be made"
}
echo "a root in $((SECONDS - begin)) s"
cp "$package" "$work/root/package.deb"
cat >"$work/root/new-user.sh" <<'EOF'
set -eu
fabric version
command -v cc c++ gcc make cmake && { echo "there are build tools"; exit 1; }
cd "$HOME"
cp -r /usr/share/doc/fabric-rdma/examples/ring ring
fabric --chdir ring validate
fabric lab up --nodes 4
trap 'fabric lab down' EXIT
fabric --lab plan .fabric/lab/document --out ring.plan
fabric --lab apply ring.plan --auto-approve
fabric --lab verify .fabric/lab/document
fabric --lab plan .fabric/lab/document --detailed-exitcode
fabric export hosts .fabric/lab/document | grep -q node1-
EOF
begin=$SECONDS
unshare --mount --pid --fork --mount-proc sh -eu -c '
  mount -t proc proc "$1/proc"
  # The clock of a machine that tests may be later than what a mirror of long ago is valid for.
  chroot "$1" apt-get -qq -o Acquire::Check-Valid-Until=false -o Acquire::Check-Date=false update
  DEBIAN_FRONTEND=noninteractive chroot "$1" apt-get -qq -y --no-install-recommends install /package.deb
  # Everything that the package has is there, and man and the shells find it.
  for file in bin/fabric share/man/man1/fabric.1.gz share/man/man1/fabric-apply.1.gz share/fabric/schemas/fabric.schema.json \
    share/bash-completion/completions/fabric share/zsh/vendor-completions/_fabric share/fish/vendor_completions.d/fabric.fish \
    share/doc/fabric-rdma/copyright share/doc/fabric-rdma/LICENSE; do
    # A minimal system may leave out documents (dpkg path-exclude); ours has no such rule.
    test -s "$1/usr/$file" || { echo "/usr/$file is missing"; exit 1; }
  done
  mkdir -p "$1/home/user" && chown 1000:1000 "$1/home/user"
  chroot --userspec=1000:1000 "$1" /usr/bin/env -i HOME=/home/user PATH=/usr/bin:/bin sh /new-user.sh
  chroot "$1" dpkg -r fabric-rdma >/dev/null
  test ! -e "$1/usr/bin/fabric"
' sh "$work/root" >"$work/said" 2>&1 || { tail -40 "$work/said"; exit 1; }
grep -E "^Verify:|cables|No changes|nothing" "$work/said" | tail -4
echo "installed, lab, plan, apply, verify, removed in $((SECONDS - begin)) s"
