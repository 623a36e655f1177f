# SPDX-License-Identifier: Apache-2.0
. say.sh
grep '^btime ' /proc/stat 2>/dev/null || exit 0
read -r release </proc/sys/kernel/osrelease && echo "running $release"
set --
for f in /etc/network/interfaces /etc/network/interfaces.d/* /etc/netplan/*.yaml \
  /etc/systemd/network/*.network /etc/systemd/network/*.netdev /etc/systemd/network/*.link \
  /etc/NetworkManager/system-connections/* /etc/sysconfig/network-scripts/ifcfg-* \
  /etc/udev/rules.d/*net*.rules; do
  [ -f "$f" ] && set -- "$@" "$f"
done
if [ $# -gt 0 ]; then
  stat -L -c 'file %Y %n' "$@"
  grep -l -E '^# managed by fabric: |^id=fabric-|#adopted by fabric ' "$@" | say ours
fi
set --
for f in /boot/vmlinuz-*; do
  [ -f "$f" ] && [ ! -L "$f" ] && set -- "$@" "$f"
done
[ $# -eq 0 ] || stat -c '%Z %n' "$@" | while read -r time name; do
  printf 'kernel %s %s\n' "$time" "${name#/boot/vmlinuz-}"
done
[ ! -e /run/reboot-required ] || echo "asked /run/reboot-required"
[ ! -r /run/reboot-required.pkgs ] || sed 's/^/package /' /run/reboot-required.pkgs
exit 0
