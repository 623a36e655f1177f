// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers.hpp"

#include "engine/platform/link_tools/lldp_json.hpp"
#include "providers/esx/parsers/esxcfg_module.hpp"
#include "providers/esx_classic/parsers/esxcfg_lists.hpp"
#include "providers/esxi/parsers/esxcli_lists.hpp"
#include "providers/esxi/parsers/esxcli_network.hpp"
#include "providers/esxi/parsers/esxcli_pci.hpp"
#include "providers/esxi/parsers/mst_status.hpp"
#include "providers/infiniband/parsers/iblinkinfo.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"
#include "providers/infiniband/parsers/opensm_conf.hpp"
#include "providers/infiniband/parsers/opensm_log.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"
#include "providers/infiniband/parsers/sminfo.hpp"
#include "providers/linux/parsers/config_files.hpp"
#include "providers/mlnx_os/parsers/onyx_channels.hpp"
#include "providers/mlnx_os/parsers/onyx_lldp.hpp"
#include "providers/mlnx_os/parsers/onyx_partitions.hpp"
#include "providers/mlnx_os/parsers/onyx_roce.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"
#include "providers/nvue/parsers/nvue_json.hpp"
#include "providers/parsers/card_tools.hpp"
#include "providers/parsers/ip_json.hpp"
#include "providers/parsers/link_values.hpp"
#include "providers/parsers/mlxconfig_query.hpp"
#include "providers/parsers/proc_bonding.hpp"
#include "providers/parsers/qos_tools.hpp"
#include "providers/parsers/rdma_tools.hpp"

namespace fabric::providers {

namespace {

// A parser with a result of its own type, as one that gives JSON.
template <auto parse>
Result<Value> as_value(std::string_view text) {
  return to_value(FABRIC_TRY(parse(text)));
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Parser>& parsers() {
  static const std::vector<Parser> table{
      {"dcb-app",
       "priorities by DSCP of an interface, `dcb app show dev DEV`",
       as_value<parse_dcb_app>},
      {"dcb-pfc",
       "priorities with flow control of an interface, `dcb pfc show dev DEV`",
       as_value<parse_dcb_pfc>},
      {"esxcfg-module",
       "options of a driver on ESXi, `esxcfg-module -g MODULE`",
       as_value<parse_esxcfg_module>},
      {"esxcfg-nics", "NICs of ESX, `esxcfg-nics -l`", as_value<parse_esxcfg_nics>},
      {"esxcli-module-parameters",
       "parameters of a driver on ESXi, `esxcli system module parameters list`",
       as_value<parse_esxcli_module_parameters>},
      {"esxcli-nic-list",
       "NICs of ESXi, `esxcli network nic list`",
       as_value<parse_esxcli_nic_list>},
      {"esxcli-pci-list",
       "PCI functions of ESXi, `esxcli hardware pci list`",
       as_value<parse_esxcli_pci_list>},
      {"esxcli-rdma-list",
       "RDMA devices of ESXi, `esxcli rdma device list`",
       as_value<parse_esxcli_rdma_list>},
      {"esxcli-vf-list",
       "virtual functions of ESXi, `esxcli network sriovnic vf list`",
       as_value<parse_esxcli_vf_list>},
      {"esxcli-vib-list",
       "packages of ESXi, `esxcli software vib list`",
       as_value<parse_esxcli_vib_list>},
      {"esxcli-vswitch-list",
       "standard switches of ESXi, `esxcli network vswitch standard list`",
       as_value<parse_esxcli_vswitch_list>},
      {"esxupdate-query", "bulletins of ESX 4, `esxupdate query`", as_value<parse_esxupdate_query>},
      {"ethtool", "link and modes of an interface, `ethtool DEV`", parse_ethtool_settings},
      {"ethtool-fec", "forward error correction, `ethtool [-I] --show-fec DEV`", parse_ethtool_fec},
      {"ethtool-i", "driver and firmware of an interface, `ethtool -i DEV`", parse_ethtool_info},
      {"ethtool-module", "what is plugged in, `ethtool -m DEV`", parse_ethtool_module},
      {"iblinkinfo",
       "links of an InfiniBand subnet, `iblinkinfo` or `iblinkinfo -l`",
       as_value<parse_iblinkinfo>,
       limits::kSubnetBytes,
       limits::kSubnetLines},
      {"ibnetdiscover",
       "an InfiniBand subnet, `ibnetdiscover` or `ibnetdiscover -p`",
       as_value<parse_ibnetdiscover>,
       limits::kSubnetBytes,
       limits::kSubnetLines},
      {"ibstat", "RDMA devices and their ports, `ibstat`", parse_ibstat},
      {"ibv-devinfo", "RDMA devices and their ports, `ibv_devinfo`", parse_ibv_devinfo},
      {"ifcfg", "a file of /etc/sysconfig/network-scripts", parse_ifcfg},
      {"interfaces", "/etc/network/interfaces and the files it sources", parse_interfaces},
      {"ip-link-json",
       "network interfaces, `ip -j -d link show` or `ip -j -d addr show`",
       as_value<parse_ip_json>},
      {"lldpctl-json", "lldpcli -f json0 show neighbors details", platform::lldp_json_to_value},
      {"lspci-link", "PCIe link speed and width, `lspci -vv`", parse_lspci_link},
      {"lspci-numbers", "PCI functions by number, `lspci -n`", as_value<parse_lspci_numbers>},
      {"mlnx-qos",
       "trust, flow control and DSCPs of an interface, `mlnx_qos -i DEV`",
       as_value<parse_mlnx_qos>},
      {"mlxconfig-query",
       "settings of a card, `mstconfig q` or `mlxconfig q`",
       as_value<parse_mlxconfig_query>},
      {"mlxlink",
       "a link as its card sees it, `mlxlink -d DEVICE -m -c` or `mstlink`",
       parse_mlxlink},
      {"mst-status",
       "devices of the firmware tools, `mst status` or `mst status -vv`",
       as_value<parse_mst_status>},
      {"mstflint-query", "firmware of a card, `mstflint q` or `flint q`", parse_mstflint_query},
      {"netplan", "a file of /etc/netplan", parse_netplan},
      {"networkd", "a .network, .netdev or .link file of systemd", parse_networkd},
      {"nm-keyfile", "a connection profile of NetworkManager", parse_keyfile},
      {"nvue-config",
       "a configuration of NVUE, `nv config show -r applied -o json`",
       parse_nvue_config},
      {"nvue-interface",
       "ports and bonds of a switch, `nv show interface --operational -o json`",
       as_value<parse_nvue_interfaces>},
      {"nvue-lldp",
       "neighbours of a switch, `nv show interface lldp -o json`",
       as_value<parse_nvue_lldp>},
      {"nvue-mlag",
       "a pair of switches, `nv show mlag --operational -o json`",
       as_value<parse_nvue_mlag>},
      {"nvue-revision",
       "revisions of NVUE, `nv config revision -o json`",
       as_value<parse_nvue_revisions>},
      {"nvue-roce",
       "RoCE of a switch, `nv show qos roce --operational -o json`",
       as_value<parse_nvue_roce>},
      {"nvue-version",
       "the release of a switch, `nv show system version -o json`",
       as_value<parse_nvue_version>},
      {"onyx-channels",
       "port channels of an Onyx switch, `show interfaces port-channel summary`",
       as_value<parse_onyx_channels>},
      {"onyx-lldp",
       "neighbours of an Onyx switch, `show lldp remote | json-print`",
       as_value<parse_onyx_lldp>},
      {"onyx-partitions",
       "partitions of the manager of an MLNX-OS switch, `show ib partition`",
       as_value<parse_onyx_partitions>},
      {"onyx-roce", "RoCE of an Onyx switch, `show roce`", as_value<parse_onyx_roce>},
      {"onyx-show", "a show command of an Onyx or MLNX-OS switch", as_value<parse_onyx_show>},
      {"opensm-conf", "opensm.conf, the options of OpenSM", as_value<parse_opensm_conf>},
      {"opensm-log",
       "how OpenSM routed the subnet, from its log",
       as_value<parse_opensm_log>,
       limits::kSubnetBytes,
       limits::kSubnetLines},
      {"partitions-conf",
       "partitions.conf, the partitions that OpenSM makes",
       as_value<parse_partitions_conf>},
      {"proc-bonding", "a bond as it runs, /proc/net/bonding/BOND", as_value<parse_proc_bonding>},
      {"rdma-link-json", "RDMA links, `rdma -j link show`", parse_rdma_link_json},
      {"sminfo", "the subnet manager or why none answers, `sminfo`", as_value<parse_sminfo>},
  };
  return table;
}

}  // namespace fabric::providers
