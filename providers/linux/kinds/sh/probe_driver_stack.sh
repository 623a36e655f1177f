# SPDX-License-Identifier: Apache-2.0
. say.sh
release=
[ ! -r /proc/sys/kernel/osrelease ] || read -r release </proc/sys/kernel/osrelease
[ -z "$release" ] || echo "kernel $release"
if command -v ofed_info >/dev/null 2>&1; then
  ofed_info -s 2>/dev/null | say ofed
fi
if command -v modinfo >/dev/null 2>&1; then
  for module in mlx4_core mlx5_core; do
    modinfo -n "$module" 2>/dev/null | say "driver $module"
  done
fi
if command -v mst >/dev/null 2>&1; then
  mst version 2>/dev/null | say mst
fi
exit 0
