# SPDX-License-Identifier: Apache-2.0
. flush.sh
. revision_tools.sh
rm -rf "$at"
[ ! -d "${at%/*}" ] || flush_folder "${at%/*}"
echo disarmed
