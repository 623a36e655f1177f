# SPDX-License-Identifier: Apache-2.0
tools='mlxconfig mstconfig /opt/mellanox/bin/mlxconfig'
prepare() { echo "== version $("$tool" -v 2>&1 | head -n 1)"; }
query() { $limit "$tool" -d "${d##*/}" -e q 2>&1; }
. card_query.sh
