# SPDX-License-Identifier: Apache-2.0
tool=flint
query() { $limit flint -d "$d" q; }
. mst_query.sh
