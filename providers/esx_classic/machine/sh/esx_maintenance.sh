# SPDX-License-Identifier: Apache-2.0
# ESX 4 calls it vmware-vim-cmd, ESX 3.5 vimsh (E-esx-maintenance). Neither is believed: each
# script looks at the mode afterwards.
PATH=$PATH:/usr/sbin:/sbin:/usr/bin:/bin
notes=/var/lib/fabric
vim() {
  if command -v vmware-vim-cmd >/dev/null 2>&1; then vmware-vim-cmd "$1"; else vimsh -n -e "$1"; fi
}
mode() { vim hostsvc/hostsummary 2>/dev/null | sed -n 's/^ *inMaintenanceMode = \([a-z]*\).*$/\1/p'; }
noted() { cat "$notes/maintenance" 2>/dev/null || echo none; }
note() {
  [ "$(noted)" = "$1" ] && return 0
  umask 077
  mkdir -p "$notes" && echo "$1" >"$notes/maintenance.new" && sync &&
    mv -f "$notes/maintenance.new" "$notes/maintenance" && sync
  [ "$(noted)" = "$1" ] || { echo "$notes/maintenance can't be written"; exit 1; }
}
