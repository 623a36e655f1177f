// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers.hpp"

#include <algorithm>

#include "engine/platform/link_tools/lldp_json.hpp"
#include "providers/infiniband/parsers/iblinkinfo.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"
#include "providers/infiniband/parsers/opensm_conf.hpp"
#include "providers/infiniband/parsers/opensm_log.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"
#include "providers/infiniband/parsers/sminfo.hpp"
#include "providers/parsers/card_tools.hpp"
#include "providers/parsers/ip_json.hpp"
#include "providers/parsers/link_values.hpp"
#include "providers/parsers/mlxconfig_query.hpp"
#include "providers/parsers/proc_bonding.hpp"
#include "providers/parsers/qos_tools.hpp"
#include "providers/parsers/rdma_tools.hpp"
#include "providers/platform_entry.hpp"

namespace fabric::providers {

namespace {

// What several platforms have.
// NOLINTNEXTLINE(readability-function-size): a table
std::vector<Parser> shared_parsers() {
  return {
      {"dcb-app",
       "priorities by DSCP of an interface, `dcb app show dev DEV`",
       as_value<parse_dcb_app>},
      {"dcb-pfc",
       "priorities with flow control of an interface, `dcb pfc show dev DEV`",
       as_value<parse_dcb_pfc>},
      {"ethtool", "link and modes of an interface, `ethtool DEV`", parse_ethtool_settings},
      {"ethtool-fec", "forward error correction, `ethtool [-I] --show-fec DEV`", parse_ethtool_fec},
      {"ethtool-i", "driver and firmware of an interface, `ethtool -i DEV`", parse_ethtool_info},
      {"ethtool-module", "the plugged-in module, `ethtool -m DEV`", parse_ethtool_module},
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
      {"ip-link-json",
       "network interfaces, `ip -j -d link show` or `ip -j -d addr show`",
       as_value<parse_ip_json>},
      {"lldpctl-json", "lldpcli -f json0 show neighbors details", platform::lldp_json_to_value},
      {"lspci-link", "PCIe link speed and width, `lspci -vv`", parse_lspci_link},
      {"mlnx-qos",
       "trust, flow control and DSCPs of an interface, `mlnx_qos -i DEV`",
       as_value<parse_mlnx_qos>},
      {"mlxconfig-query",
       "settings of a card, `mstconfig q` or `mlxconfig q`",
       as_value<parse_mlxconfig_query>},
      {"mlxlink",
       "a link as its card sees it, `mlxlink -d DEVICE -m -c` or `mstlink`",
       parse_mlxlink},
      {"mstflint-query", "firmware of a card, `mstflint q` or `flint q`", parse_mstflint_query},
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
}

}  // namespace

const std::vector<Parser>& parsers() {
  static const std::vector<Parser> table = [] {
    std::vector<Parser> all = shared_parsers();
    for (const PlatformEntry& entry : platform_entries())
      all.insert(all.end(), entry.parsers.begin(), entry.parsers.end());
    std::sort(
        all.begin(), all.end(), [](const Parser& a, const Parser& b) { return a.kind < b.kind; });
    return all;
  }();
  return table;
}

}  // namespace fabric::providers
