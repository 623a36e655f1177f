# SPDX-License-Identifier: Apache-2.0
# One that the host has not says so.
for m in nmlx5_core nmlx5_rdma nmlx4_core nmlx4_en nmlx4_rdma nmst; do
  echo "== module $m"
  esxcfg-module -g "$m" 2>&1
done
exit 0
