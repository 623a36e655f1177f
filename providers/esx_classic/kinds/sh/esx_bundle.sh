# SPDX-License-Identifier: Apache-2.0
# $package "yes": what is meant is a package of rpm, else a bulletin of esxupdate.
# shellcheck disable=SC2154 # the script sets $package
PATH=$PATH:/usr/sbin:/sbin:/usr/bin:/bin
note() {
  (umask 077
  mkdir -p /var/lib/fabric &&
    echo "$(cat /proc/sys/kernel/random/boot_id) bundles bundles" >>/var/lib/fabric/options) || exit 1
}
is_there() {
  case $package in
    yes) rpm -q "$1" >/dev/null 2>&1 ;;
    *) esxupdate query 2>/dev/null | while read -r id rest; do
         if [ "$id" = "$1" ]; then echo found; fi
       done | grep -q found ;;
  esac
}
