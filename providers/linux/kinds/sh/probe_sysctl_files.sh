# SPDX-License-Identifier: Apache-2.0
. texts.sh
texts /etc/sysctl.conf /etc/sysctl.d/*.conf /run/sysctl.d/*.conf /usr/lib/sysctl.d/*.conf
exit 0
