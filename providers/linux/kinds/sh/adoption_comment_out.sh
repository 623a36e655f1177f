# SPDX-License-Identifier: Apache-2.0
# $1 a file, $2 its digest, $3 the mark, then stanzas: each the lines that go, by their text, and
# the line that stands in their place, or nothing. A line is empty where a probe hides it. What was
# done before is done again without harm.
. file_digest.sh
. flush.sh
. put_file.sh
file=$1 digest=$2 mark=$3
shift 3
new=${file%/*}/.fabric-new.$$
line_end='
'
return=$(printf '\r')
give_up() { rm -f "$new" "$new.next"; echo "$file: $1" >&2; exit 1; }
fits() {
  [ "$plain" != "$wanted" ] || return 0
  case $wanted-$plain in
    -*wpa-* | -*wireless-key*) return 0 ;;
  esac
  return 1
}
comment() {
  rest=$1 held='' marked=''
  while :; do
    end=$line_end
    IFS= read -r line || { [ -n "$line" ] || break; end=''; }
    plain=${line#"$mark"}
    plain=${plain%"$return"}
    [ -z "$stub" ] || [ "$plain" != "$stub" ] || continue
    wanted=${rest%%"$line_end"*}
    if [ -n "$held" ] && ! fits; then
      printf '%s' "$held"
      rest=$1 held='' marked=''
      wanted=${rest%%"$line_end"*}
    fi
    if ! fits; then
      printf '%s' "$line$end"
      continue
    fi
    held=$held$line$end
    marked=$marked$mark${line#"$mark"}$end
    case $rest in
      *"$line_end"*) rest=${rest#*"$line_end"} ;;
      *)
        printf '%s' "$marked"
        [ -z "$stub" ] || printf '%s\n' "$stub"
        found=yes rest=$1 held='' marked=''
        ;;
    esac
  done
  printf '%s' "$held"
}
is_unchanged "$file" "$digest" || changed "$file"
cp -p "$file" "$new" || give_up "cannot be copied"
while [ "$#" -gt 1 ]; do
  found= stub=$2
  comment "$1" <"$new" >"$new.next" || give_up "cannot be written"
  [ -n "$found" ] || give_up "has no lines such as: ${1%%"$line_end"*}"
  cat "$new.next" >"$new" || give_up "cannot be written"
  shift 2
done
rm -f "$new.next"
flush_file "$new" || give_up "cannot be flushed to the disk"
if ! is_unchanged "$new" "$digest" || ! is_unchanged "$file" "$digest"; then
  rm -f "$new"
  changed "$file"
fi
mv -f "$new" "$file" || give_up "cannot be replaced"
flush_folder "${file%/*}"
