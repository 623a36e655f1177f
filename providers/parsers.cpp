#include "providers/parsers.hpp"

#include "providers/parsers/card_tools.hpp"
#include "providers/parsers/config_files.hpp"
#include "providers/parsers/ip_json.hpp"
#include "providers/parsers/mlxconfig_query.hpp"
#include "providers/parsers/proc_bonding.hpp"
#include "providers/parsers/rdma_tools.hpp"

namespace fabric::providers {

namespace {

Result<Value> ip_links(std::string_view text) {
  return to_value(FABRIC_TRY(parse_ip_json(text)));
}

Result<Value> proc_bonding(std::string_view text) {
  return to_value(FABRIC_TRY(parse_proc_bonding(text)));
}

Result<Value> mlxconfig_query(std::string_view text) {
  return to_value(FABRIC_TRY(parse_mlxconfig_query(text)));
}

}  // namespace

const std::vector<Parser>& parsers() {
  static const std::vector<Parser> table{
      {"ethtool-i", "driver and firmware of an interface, `ethtool -i DEV`", parse_ethtool_info},
      {"ibstat", "RDMA devices and their ports, `ibstat`", parse_ibstat},
      {"ibv-devinfo", "RDMA devices and their ports, `ibv_devinfo`", parse_ibv_devinfo},
      {"ifcfg", "a file of /etc/sysconfig/network-scripts", parse_ifcfg},
      {"interfaces", "/etc/network/interfaces and the files it sources", parse_interfaces},
      {"ip-link-json",
       "network interfaces, `ip -j -d link show` or `ip -j -d addr show`",
       ip_links},
      {"lspci-link", "PCIe link speed and width, `lspci -vv`", parse_lspci_link},
      {"mlxconfig-query", "settings of a card, `mstconfig q` or `mlxconfig q`", mlxconfig_query},
      {"mstflint-query", "firmware of a card, `mstflint q` or `flint q`", parse_mstflint_query},
      {"netplan", "a file of /etc/netplan", parse_netplan},
      {"networkd", "a .network, .netdev or .link file of systemd", parse_networkd},
      {"nm-keyfile", "a connection profile of NetworkManager", parse_keyfile},
      {"proc-bonding", "a bond as it runs, /proc/net/bonding/BOND", proc_bonding},
      {"rdma-link-json", "RDMA links, `rdma -j link show`", parse_rdma_link_json},
  };
  return table;
}

}  // namespace fabric::providers
