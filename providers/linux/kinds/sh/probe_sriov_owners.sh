# SPDX-License-Identifier: Apache-2.0
# Whatever sets the number of virtual functions at a boot, with its line, and the lines that tell of
# which port. Of files that may hold a secret it is those lines alone.
# For fixed words, as BusyBox takes 50 times as long to look for patterns in a large program.
grep -lsF -e 'SR-IOV' -e 'total-vfs' -e 'virtual-function-count' -e 'sriov_numvfs' -e 'num_vfs' \
  /etc/systemd/network/* /etc/systemd/network/*.d/*.conf /run/systemd/network/* \
  /usr/local/lib/systemd/network/* /usr/lib/systemd/network/* \
  /etc/NetworkManager/system-connections/* /run/NetworkManager/system-connections/* \
  /usr/lib/NetworkManager/system-connections/* /etc/netplan/*.yaml /run/netplan/*.yaml \
  /lib/netplan/*.yaml /etc/network/interfaces /etc/network/interfaces.d/* \
  /etc/modprobe.d/*.conf /run/modprobe.d/*.conf /usr/lib/modprobe.d/*.conf \
  /etc/udev/rules.d/*.rules /run/udev/rules.d/*.rules /usr/local/lib/udev/rules.d/*.rules \
  /usr/lib/udev/rules.d/*.rules /etc/systemd/system/*.service /etc/systemd/system/*.d/*.conf \
  /run/systemd/system/*.service /usr/local/lib/systemd/system/*.service \
  /usr/lib/systemd/system/*.service /etc/tmpfiles.d/*.conf /etc/sysfs.conf /etc/sysfs.d/*.conf \
  /etc/rc.local /etc/rc.d/rc.local /etc/init.d/* /etc/cron.d/* /etc/crontab \
  /var/spool/cron/root /var/spool/cron/crontabs/root /etc/network/if-*.d/* \
  /etc/NetworkManager/dispatcher.d/* /etc/NetworkManager/dispatcher.d/*.d/* \
  /etc/networkd-dispatcher/*.d/* /etc/sysconfig/network-scripts/* /usr/local/bin/* \
  /usr/local/sbin/* /root/*.sh /root/bin/* |
  while read -r f; do
    case $f in
      /etc/udev/rules.d/71-fabric-sriov-*) ;;
      */systemd/network/*) grep -Hn '' "$f" ;;
      */system-connections/*)
        grep -Hn -e '^\[' -e '^interface-name=' -e '^mac-address=' -e '^path=' -e '^type=' \
          -e '^total-vfs' "$f"
        ;;
      */netplan/*)
        grep -Hn -e ':[[:space:]]*$' -e 'virtual-function-count' -e 'match:' -e 'macaddress:' \
          -e '^ *name:' "$f"
        ;;
      /etc/network/interfaces*)
        grep -Hn -e '^[[:space:]]*iface[[:space:]]' -e 'sriov_numvfs' "$f"
        ;;
      */modprobe.d/*) grep -Hn '^[[:space:]]*options[[:space:]].*num_vfs' "$f" ;;
      *) grep -Hn 'sriov_numvfs' "$f" ;;
    esac
  done
[ -f /etc/rdma/sriov-vfs ] && grep -Hn '^[^#]' /etc/rdma/sriov-vfs
exit 0
