# SPDX-License-Identifier: Apache-2.0
. lock_read.sh
. lock_show.sh
show
