#include "providers/parsers.hpp"

#include "providers/parsers/card_tools.hpp"
#include "providers/parsers/esxi/esxcfg_module.hpp"
#include "providers/parsers/esxi/esxcli_lists.hpp"
#include "providers/parsers/infiniband/iblinkinfo.hpp"
#include "providers/parsers/infiniband/ibnetdiscover.hpp"
#include "providers/parsers/infiniband/opensm_conf.hpp"
#include "providers/parsers/infiniband/opensm_log.hpp"
#include "providers/parsers/infiniband/partitions_conf.hpp"
#include "providers/parsers/infiniband/sminfo.hpp"
#include "providers/parsers/ip_json.hpp"
#include "providers/parsers/mlxconfig_query.hpp"
#include "providers/parsers/network_files/config_files.hpp"
#include "providers/parsers/onyx/onyx_show.hpp"
#include "providers/parsers/proc_bonding.hpp"
#include "providers/parsers/rdma_tools.hpp"

namespace fabric::providers {

namespace {

// A parser with a result of its own type, as one that gives JSON.
template <auto parse>
Result<Value> as_value(std::string_view text) {
  return to_value(FABRIC_TRY(parse(text)));
}

}  // namespace

const std::vector<Parser>& parsers() {
  static const std::vector<Parser> table{
      {"esxcfg-module",
       "options of a driver on ESXi, `esxcfg-module -g MODULE`",
       as_value<parse_esxcfg_module>},
      {"esxcli-module-parameters",
       "parameters of a driver on ESXi, `esxcli system module parameters list`",
       as_value<parse_esxcli_module_parameters>},
      {"esxcli-vib-list",
       "packages of ESXi, `esxcli software vib list`",
       as_value<parse_esxcli_vib_list>},
      {"ethtool-i", "driver and firmware of an interface, `ethtool -i DEV`", parse_ethtool_info},
      {"iblinkinfo",
       "links of an InfiniBand subnet, `iblinkinfo` or `iblinkinfo -l`",
       as_value<parse_iblinkinfo>},
      {"ibnetdiscover",
       "an InfiniBand subnet, `ibnetdiscover` or `ibnetdiscover -p`",
       as_value<parse_ibnetdiscover>},
      {"ibstat", "RDMA devices and their ports, `ibstat`", parse_ibstat},
      {"ibv-devinfo", "RDMA devices and their ports, `ibv_devinfo`", parse_ibv_devinfo},
      {"ifcfg", "a file of /etc/sysconfig/network-scripts", parse_ifcfg},
      {"interfaces", "/etc/network/interfaces and the files it sources", parse_interfaces},
      {"ip-link-json",
       "network interfaces, `ip -j -d link show` or `ip -j -d addr show`",
       as_value<parse_ip_json>},
      {"lspci-link", "PCIe link speed and width, `lspci -vv`", parse_lspci_link},
      {"mlxconfig-query",
       "settings of a card, `mstconfig q` or `mlxconfig q`",
       as_value<parse_mlxconfig_query>},
      {"mstflint-query", "firmware of a card, `mstflint q` or `flint q`", parse_mstflint_query},
      {"netplan", "a file of /etc/netplan", parse_netplan},
      {"networkd", "a .network, .netdev or .link file of systemd", parse_networkd},
      {"nm-keyfile", "a connection profile of NetworkManager", parse_keyfile},
      {"onyx-show", "a show command of an Onyx or MLNX-OS switch", as_value<parse_onyx_show>},
      {"opensm-conf", "opensm.conf, the options of OpenSM", as_value<parse_opensm_conf>},
      {"opensm-log", "how OpenSM routed the subnet, from its log", as_value<parse_opensm_log>},
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
