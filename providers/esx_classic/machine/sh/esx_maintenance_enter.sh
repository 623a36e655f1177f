# SPDX-License-Identifier: Apache-2.0
# $1 seconds. Entering waits until no virtual machine runs, and names none: so that is looked at
# first.
. esx_maintenance.sh
[ "$(mode)" = true ] && exit 0
running() {
  vmware-cmd -l 2>/dev/null | while read -r machine; do
    case $(vmware-cmd "$machine" getstate -q 2>/dev/null) in on*) echo "${machine##*/}" ;; esac
  done
}
left=$1
while [ -n "$(running)" ]; do
  if [ "$left" -le 0 ]; then
    echo "not in maintenance mode after $1 s: running virtual machines: $(running)" | tr '\n' ' '
    exit 1
  fi
  sleep 2
  left=$((left - 2))
done
said=$(vim hostsvc/maintenance_mode_enter 2>&1)
sync
[ "$(mode)" = true ] && exit 0
echo "not in maintenance mode: $said" | tr '\n' ' '
exit 1
