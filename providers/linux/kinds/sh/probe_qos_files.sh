# SPDX-License-Identifier: Apache-2.0
. texts.sh
texts /etc/fabric/qos-*.sh /etc/systemd/system/fabric-qos-*.service /etc/udev/rules.d/96-fabric-qos-*.rules
exit 0
