# SPDX-License-Identifier: Apache-2.0
# file_digests FILE...: "DIGEST FILE" for each that is a file and no link, as file_digest tells it. Files without lines that
# fabric has commented out are read by one process.
file_digests() {
  for f; do
    shift
    [ -f "$f" ] && [ ! -L "$f" ] && set -- "$@" "$f"
  done
  [ $# -gt 0 ] || return 0
  newline='
'
  marked=$newline$(grep -slF '#adopted by fabric ' "$@")$newline
  for f; do
    shift
    case $f:$marked in
      # sha256sum writes a name with a backslash in another way.
      *\\*:* | *:*"$newline$f$newline"*) sum=$(file_digest "$f") && echo "$sum $f" ;;
      *) set -- "$@" "$f" ;;
    esac
  done
  [ $# -eq 0 ] || sha256sum "$@" | sed 's/  / /'
}
