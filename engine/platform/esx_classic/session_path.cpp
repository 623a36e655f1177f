// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/esx_classic/session_path.hpp"

#include "engine/platform/esxi/session_path.hpp"

namespace fabric::platform {

// The address that the session came in by is that of an interface of the console, which is on a
// port group, which is on a virtual switch, which has uplinks. Names of port groups may have single
// blanks in them: two of them end a cell (E-esx-classic-tables). A port group of a distributed
// switch is not among them.
Probe esx_classic_session_probe() {
  return {
      "session",
      R"sh(set -- $SSH_CONNECTION
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
)sh"};
}

// The same words as those of ESXi.
SessionPath esx_classic_session_path(const NodeFacts& facts) {
  return esxi_session_path(facts);
}

}  // namespace fabric::platform
