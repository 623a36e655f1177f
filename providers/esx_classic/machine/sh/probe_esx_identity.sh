# SPDX-License-Identifier: Apache-2.0
sed -n 's/^\/system\/uuid = "\(.*\)"$/uuid \1/p' /etc/vmware/esx.conf
echo "boot $(cat /proc/sys/kernel/random/boot_id)"
echo "hostname $(hostname)"
echo "version $(vmware -v)"
exit 0
