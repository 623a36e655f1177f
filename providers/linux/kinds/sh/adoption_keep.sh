# SPDX-License-Identifier: Apache-2.0
# $1 the folder, $2 a file, $3 "whole" or "part", $4 its digest. What was kept first is given back
# one day; what came after it is kept beside it.
. file_digest.sh
. flush.sh
. put_file.sh
kept=$1/$3$2
if [ -e "$kept" ] && is_unchanged "$kept" "$4"; then exit 0; fi
is_unchanged "$2" "$4" || changed "$2"
[ ! -e "$kept" ] || kept=$1/later$2
put_file "$2" "$kept" || exit 1
is_unchanged "$kept" "$4" || { rm -f "$kept"; changed "$2"; }
