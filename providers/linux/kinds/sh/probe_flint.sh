# SPDX-License-Identifier: Apache-2.0
# mstflint from 4.26 on ends with a segmentation fault on a ConnectX-3, which would stand in the kernel's log at every look.
tools='flint mstflint /opt/mellanox/bin/flint'
prepare() {
  old=
  case $("$tool" -v 2>&1) in
    *" 4."[0-9].*|*" 4.1"[0-9].*|*" 4.2"[0-5].*) old=yes ;;
  esac
}
query() {
  driver=
  [ -e "$d/driver" ] && driver=$(readlink "$d/driver")
  if [ "${driver##*/}" = mlx4_core ] && [ -z "$old" ]; then
    refusal=connectx-3
    return
  fi
  $limit "$tool" -d "${d##*/}" q 2>&1
}
. card_query.sh
