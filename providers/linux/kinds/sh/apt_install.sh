# SPDX-License-Identifier: Apache-2.0
# $1: the package. An index that does not know it is fetched anew, once; one that does is left, for
# a fresh index may want other packages upgraded. One archive that refuses (that of Proxmox,
# without a subscription) makes apt-get fail when it has read all others: only a package that none
# of them has is a failure. needrestart would restart services on its own.
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
is_known() { apt-cache show "$1" >/dev/null 2>&1; }
if ! is_known "$1"; then
  apt-get -q -o DPkg::Lock::Timeout=120 update
  status=$?
  [ "$status" = 0 ] || is_known "$1" || exit "$status"
fi
exec apt-get -q -y --no-install-recommends --no-remove -o DPkg::Lock::Timeout=120 \
  -o Dpkg::Options::=--force-confold install "$1"
