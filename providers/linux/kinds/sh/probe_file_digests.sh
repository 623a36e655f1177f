# SPDX-License-Identifier: Apache-2.0
# Of the files of probe_network_files.sh and probe_module_files.sh those that may be somebody else's and can be taken over.
. file_digest.sh
. file_digests.sh
file_digests /etc/systemd/network/* /etc/systemd/network/*.d/* /etc/network/interfaces /etc/network/interfaces.d/* \
  /etc/NetworkManager/system-connections/* /etc/sysconfig/network-scripts/ifcfg-* \
  /etc/sysconfig/network-scripts/route*-* /etc/sysconfig/network-scripts/rule-* /etc/netplan/*.yaml \
  /etc/modprobe.d/*.conf
exit 0
