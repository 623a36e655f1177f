# SPDX-License-Identifier: Apache-2.0
# $1 path, $2 mode, $3 owner, $4 bytes, $5 SHA-256 or nothing, $6 the digest of what it replaces or
# nothing; the content comes on standard input.
#
# The temporary begins with a dot and keeps no suffix, so that no reader of drop-in folders
# (`interfaces.d/*`, `*.network`, `*.conf`) takes it for a file of its own. A connection that is
# cut ends standard input early: the byte count then differs and the target stays as it was.
# `mv` would move into a folder of that name, hence the test. Old versions of sync take no
# operand; they flush everything, which is slower and as good. A folder that was made, now or by an
# attempt that was cut short, is a name in the one above.
. file_digest.sh
path=$1 mode=$2 owner=$3 bytes=$4 digest=$5 former=$6
folder=${path%/*}
temporary=${folder:-/}/.fabric-new.$$
give_up() { rm -f "$temporary"; echo "$path: $1" >&2; exit 1; }
if [ -d "$path" ]; then echo "$path: is a folder" >&2; exit 1; fi
umask 022
mkdir -p "${folder:-/}" || exit 1
umask 077
cat >"$temporary" || give_up "cannot be written"
got=$(wc -c <"$temporary")
[ "$got" -eq "$bytes" ] || give_up "expected $bytes bytes, got $got"
if [ -n "$digest" ]; then
  found=$(sha256sum <"$temporary") || give_up "sha256sum failed"
  [ "${found%% *}" = "$digest" ] || give_up "expected sha256 $digest, got ${found%% *}"
fi
chmod "$mode" "$temporary" || give_up "cannot set mode $mode"
chown "$owner" "$temporary" || give_up "cannot set owner $owner"
sync "$temporary" || give_up "cannot be flushed to the disk"
if [ -n "$former" ] && ! cmp -s "$temporary" "$path" && ! is_unchanged "$path" "$former"; then
  rm -f "$temporary"
  changed "$path"
fi
mv -f "$temporary" "$path" || give_up "cannot be replaced"
set --
while [ -n "$folder" ]; do
  set -- "$@" "$folder"
  folder=${folder%/*}
done
sync "$@" / 2>/dev/null || sync
