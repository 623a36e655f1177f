# SPDX-License-Identifier: Apache-2.0
# $1 the folder.
. guard_say.sh
say "$1"
