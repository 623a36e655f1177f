# SPDX-License-Identifier: Apache-2.0
# $1 run.
. flush.sh
. lock_read.sh
. lock_put.sh
. lock_show.sh
if [ "$held" = "$1" ]; then
  rm -f "$file" && flush_folder "${file%/*}" || exit 1
fi
show
