// SPDX-License-Identifier: Apache-2.0
// What every script that changes something on a Linux host uses: what it says to be done is on the
// disk before it says so.
#pragma once

namespace fabric::platform {

// `flush_file FILE...` and `flush_folder FOLDER...`, a folder with all those above it: one that was
// made is a name in the next. Old versions of sync take no operand; they flush everything, which is
// slower and as good (E-sync-operands). A file that can't be flushed is a failure; some file
// systems can't flush a folder.
inline constexpr const char* kFlush = R"sh(
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
)sh";

// `flush_system`: whatever a tool has written where a system keeps what it is. Not the whole
// machine, whose other disks may take minutes.
inline constexpr const char* kFlushSystem = R"sh(
flush_system() {
  set --
  for folder in / /boot /boot/efi /etc /usr /var; do
    [ ! -d "$folder" ] || set -- "$@" "$folder"
  done
  sync -f "$@" 2>/dev/null || sync
}
)sh";

}  // namespace fabric::platform
