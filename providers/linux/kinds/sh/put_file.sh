# SPDX-License-Identifier: Apache-2.0
# `put_file FROM TO`: as a whole or not at all, with its mode and owner, and for good. What begins
# with a dot no reader of a folder takes for a file of its own.
put_file() {
  new=${2%/*}/.fabric-new.$$
  mkdir -p "${2%/*}" && cp -p "$1" "$new" && flush_file "$new" && mv -f "$new" "$2" || return 1
  flush_folder "${2%/*}"
}
