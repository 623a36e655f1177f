# SPDX-License-Identifier: Apache-2.0
# `flush_system`: whatever a tool has written where a system keeps what it is. Not the whole
# machine, whose other disks may take minutes.
flush_system() {
  set --
  for folder in / /boot /boot/efi /etc /usr /var; do
    [ ! -d "$folder" ] || set -- "$@" "$folder"
  done
  sync -f "$@" 2>/dev/null || sync
}
