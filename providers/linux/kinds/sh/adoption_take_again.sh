# SPDX-License-Identifier: Apache-2.0
# $1 the folder, $2 the mark, $3 where kPutBack left it. What was changed after it was given back
# is not ours to take again. A folder that is still there was given back in part, or not at all.
. file_digest.sh
. flush.sh
. put_file.sh
[ -d "$1" ] || mv "$3" "$1" || exit 1
if [ -d "$1/whole" ]; then
  (cd "$1/whole" && find . -type f) | while IFS= read -r file; do
    cmp -s "$1/whole/$file" "/${file#./}" || continue
    rm -f "/${file#./}" || exit 1
  done || exit 1
fi
if [ -d "$1/before" ]; then
  (cd "$1/before" && find . -type f) | while IFS= read -r file; do
    case ${file##*/} in
      .fabric-new.*) continue ;;
    esac
    if cmp -s "$1/before/$file" "/${file#./}"; then continue; fi
    if [ -e "$1/after/$file" ]; then cmp -s "$1/after/$file" "/${file#./}" || exit 1; fi
    put_file "$1/before/$file" "/${file#./}" || exit 1
  done || exit 1
fi
rm -rf "$1/before" "$1/after"
