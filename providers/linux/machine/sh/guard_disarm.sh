# SPDX-License-Identifier: Apache-2.0
# $1 the folder, $2 the unit.
. flush.sh
. guard_withdraw.sh
. guard_say.sh
revoke "$1"
withdraw "$1" "$2"
say "$1"
