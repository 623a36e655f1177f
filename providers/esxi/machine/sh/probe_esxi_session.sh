# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2086 # words
set -- $SSH_CONNECTION
[ -n "$1" ] || { echo 'unknown nothing on the node says where it comes from'; exit 0; }
client=${1#::ffff:} server=${3#::ffff:}
echo "client $client"
nic=$(esxcli --formatter=keyvalue network ip interface ipv4 get |
  while IFS='=' read -r key value; do
    case $key in
      *.IPv4Address.*) address=$value ;;
      *.Name.*) [ "$address" = "$server" ] && echo "$value" ;;
    esac
  done)
[ -n "$nic" ] || { echo "unknown no interface of the kernel has the address $server"; exit 0; }
switch=$(esxcli --formatter=keyvalue network ip interface list |
  while IFS='=' read -r key value; do
    case $key in
      *.Name.*) name=$value ;;
      *.Portset.*) [ "$name" = "$nic" ] && echo "$value" ;;
    esac
  done)
uplinks=$(esxcli network vswitch standard list -v "$switch" | sed -n 's/^ *Uplinks: *//p' | tr ',' ' ')
[ -n "$uplinks" ] || { echo "unknown no standard virtual switch has $nic"; exit 0; }
echo "device $nic"
for uplink in $uplinks; do echo "uplink $uplink"; done
exit 0
