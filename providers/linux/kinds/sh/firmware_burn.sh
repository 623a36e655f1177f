# SPDX-License-Identifier: Apache-2.0
# $1 card, $2 image, $3 folder, $4 tool. A burn outlives its connection: it takes no hang-up, and
# writes to a file instead of into a channel that may be gone. While it runs its own file names it.
card=$1 image=$2 folder=$3 tool=$4
trap '' HUP PIPE
echo $$ >"$folder/$card.burning" || exit 1
"$tool" -d "$card" -i "$image" -y burn >"$folder/$card.log" 2>&1
status=$?
rm -f "$folder/$card.burning"
sync "$folder" 2>/dev/null || sync
cat "$folder/$card.log"
exit $status
