# SPDX-License-Identifier: Apache-2.0
# A driver that unloaded by itself is loaded again, and the device manager claims its devices when
# it is told to (E-esxi-devmgr). No boot.
PATH=$PATH:/bin:/sbin
vmkload_mod "$1"
ps -c | while read -r id rest; do
  case $rest in *devmgr*) kill -HUP "$id" ;; esac
done
exit 0
