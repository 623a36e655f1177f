# SPDX-License-Identifier: Apache-2.0
# As the kernel of Linux tells it (platform/shell/link_state.hpp). Fields come in ASCII order
# (E-esxcli-keyvalue); a NIC that is down may show a speed all the same.
esxcli --formatter=keyvalue network nic list |
  while IFS='=' read -r key value; do
    case $key in
      *.AdminStatus.*) admin=$value ;;
      *.LinkStatus.*) link=$value ;;
      *.MACAddress.*) mac=$value ;;
      *.MTU.*) mtu=$value ;;
      *.Name.*) name=$value ;;
      *.PCIDevice.*) pci=$value ;;
      *.Speed.*)
        echo "netdev $name"
        echo "pci $pci"
        echo "address $mac"
        echo "mtu $mtu"
        case $admin.$link in
          Down.*) echo 'operstate down' ;;
          *.Up) printf 'operstate up\ncarrier 1\nspeed %s\n' "$value" ;;
          *.Down) printf 'operstate down\ncarrier 0\n' ;;
        esac ;;
    esac
  done
exit 0
