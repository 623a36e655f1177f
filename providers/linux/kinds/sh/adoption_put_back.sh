# SPDX-License-Identifier: Apache-2.0
# $1 the folder, $2 the mark, $3 where the folder goes when all is given back, then files and their
# digests. A shared file is mended in place, for it may have changed since; its copy is there for
# people. How it was before and after is kept, so that this can be rolled back. Where somebody has
# put a file of his own in the place of one that was kept, his stays.
. file_digest.sh
. flush.sh
. put_file.sh
kept=$1 mark=$2 given=$3
shift 3
while [ "$#" -gt 1 ]; do
  is_unchanged "$1" "$2" || changed "$1"
  shift 2
done
[ -d "$kept" ] || exit 0
is_free() {
  [ ! -L "$1" ] || return 1
  [ -e "$1" ] || return 0
  read -r first <"$1"
  case $first in
    "# managed by fabric: "*) return 0 ;;
  esac
  return 1
}
if [ -d "$kept/whole" ]; then
  (cd "$kept/whole" && find . -type f) | while IFS= read -r file; do
    file=${file#./}
    case ${file##*/} in
      .fabric-new.*) continue ;;
    esac
    ! is_free "/$file" || put_file "$kept/whole/$file" "/$file" || exit 1
  done || exit 1
fi
for file in /etc/network/interfaces /etc/network/interfaces.d/* /etc/netplan/*.yaml \
  /etc/modprobe.d/*.conf; do
  [ -f "$file" ] && [ ! -L "$file" ] || continue
  if grep -q "^$mark" "$file"; then
    put_file "$file" "$kept/before$file" && put_file "$file" "$kept/after$file" || exit 1
    sed -e "/ ${mark% }\$/d" -e "s|^$mark||" "$kept/before$file" >"$kept/after$file" || exit 1
    cmp -s "$file" "$kept/before$file" || changed "$file"
    put_file "$kept/after$file" "$file" || exit 1
  fi
done
rm -rf "$given" && mkdir -p "${given%/*}" && mv "$kept" "$given" || exit 1
flush_folder "${given%/*}" "${kept%/*}"
