# SPDX-License-Identifier: Apache-2.0
tool=mlxconfig
query() { $limit mlxconfig -d "$d" -e q; }
. mst_query.sh
