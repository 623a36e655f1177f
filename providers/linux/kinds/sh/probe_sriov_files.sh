# SPDX-License-Identifier: Apache-2.0
. texts.sh
texts /etc/udev/rules.d/71-fabric-sriov-*.rules
exit 0
