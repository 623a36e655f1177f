# SPDX-License-Identifier: Apache-2.0
# line() prints a line of the lock: echo would make something else of a backslash, as in a user's
# name with a domain. put() puts standard input in the place of the lock: beside and renamed, so
# that a node that loses its power in between has the old lock or the new one, and what is said to
# be taken is there afterwards. Needs flush.sh before it.
# shellcheck disable=SC2154 # lock_read.sh sets $file
line() { printf '%s %s\n' "$1" "$2"; }
put() {
  umask 022
  cat >"$file.new" && flush_file "$file.new" && mv -f "$file.new" "$file" &&
    flush_folder "${file%/*}"
}
