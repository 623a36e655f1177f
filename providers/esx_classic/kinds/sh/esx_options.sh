# SPDX-License-Identifier: Apache-2.0
# A note that is lost with the power was lost with a boot, which makes it wrong.
PATH=$PATH:/usr/sbin:/sbin:/usr/bin:/bin
set -f
module=$1
shift
note() {
  (umask 077
  mkdir -p /var/lib/fabric &&
    echo "$(cat /proc/sys/kernel/random/boot_id) $module $1" >>/var/lib/fabric/options) || exit 1
}
