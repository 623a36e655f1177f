# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2086 # words
set -- $SSH_CONNECTION
[ -n "$1" ] || { echo 'unknown nothing on the node says where it comes from'; exit 0; }
client=${1#::ffff:} server=${3#::ffff:}
echo "client $client"
found=$(esxcfg-vswif -l | while read -r name rest; do
  case " $rest " in *" $server "*) echo "$name $rest" ;; esac
done)
[ -n "$found" ] || { echo "unknown no interface of the console has the address $server"; exit 0; }
device=${found%% *}
group=${found#* }
group=${group%%  *}
uplinks=$(esxcfg-vswitch -l | while IFS= read -r line; do
  case $line in "  $group "*) echo "${line##* }" ;; esac
done | tr ',' ' ')
echo "device $device"
for uplink in $uplinks; do
  case $uplink in vmnic*) echo "uplink $uplink" ;; esac
done
case $uplinks in
  *vmnic*) ;;
  *) echo "unknown no virtual switch with uplinks has the port group of $device" ;;
esac
exit 0
