# SPDX-License-Identifier: Apache-2.0
# $1 the folder, $2 the unit.
. flush.sh
. guard_withdraw.sh
revoke "$1"
remove "$1" "$2"
echo disarmed
