# SPDX-License-Identifier: Apache-2.0
# $1 path, $2 the digest of what it removes or nothing. Without its folder there is nothing to
# remove and nothing to flush.
. file_digest.sh
path=$1 former=$2
folder=${path%/*}
if [ -n "$former" ] && { [ -e "$path" ] || [ -L "$path" ]; }; then
  is_unchanged "$path" "$former" || changed "$path"
fi
rm -f "$path" || exit 1
[ ! -d "${folder:-/}" ] || sync "${folder:-/}" 2>/dev/null || sync
