# SPDX-License-Identifier: Apache-2.0
# `flush_file FILE...` and `flush_folder FOLDER...`, a folder with all those above it: one that was
# made is a name in the next. Old versions of sync take no operand; they flush everything, which is
# slower and as good (E-sync-operands). A file that can't be flushed is a failure; some file
# systems can't flush a folder.
flush_file() { sync "$@"; }
flush_folder() {
  for below in "$@"; do
    while [ -n "$below" ]; do
      set -- "$@" "$below"
      below=${below%/*}
    done
  done
  sync "$@" / 2>/dev/null || sync
}
