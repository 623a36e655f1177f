// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/platform/link_tools/link_tools.hpp"
#include "engine/platform/link_tools/lldp_json.hpp"
#include "engine/value/lists.hpp"
#include "providers/infiniband/parsers/iblinkinfo.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"
#include "providers/infiniband/parsers/opensm.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"
#include "providers/parsers/ip_json.hpp"
#include "providers/parsers/mlxconfig_query.hpp"
#include "providers/parsers/proc_bonding.hpp"
#include "providers/parsers/rdma_tools.hpp"
#include "providers/platform_entry.hpp"

namespace fabric::providers {
namespace {

template <class Number>
void put_number(Map& map, std::string_view key, const std::optional<Number>& number) {
  if (number) map.emplace(key, static_cast<std::int64_t>(*number));
}

void put_decimal(Map& map, std::string_view key, const std::optional<double>& number) {
  if (number && std::isfinite(*number)) map.emplace(key, *number);
}

Value module_value(const platform::ModuleReading& module) {
  Map value{
      {"identifier", module.identifier},
      {"vendor", module.vendor},
      {"part_number", module.part_number},
      {"serial", module.serial},
      {"copper", module.copper},
      {"alarms", to_list(module.alarms)}};
  put_decimal(value, "temperature", module.temperature);
  put_decimal(value, "temperature_most", module.temperature_most);
  put_decimal(value, "received_least", module.received_least);
  List received;
  for (const double power : module.received_dbm)
    received.push_back(std::isfinite(power) ? Value{power} : Value{});
  value.emplace("received_dbm", std::move(received));
  return value;
}

// {"has_link", "speed_mbps", "capable_mbps", "auto_negotiation"}, without unknown values.
Result<Value> parse_ethtool_settings(std::string_view text) {
  const platform::LinkSettings settings = FABRIC_TRY(platform::parse_link_settings(text));
  Map value;
  if (settings.has_link) value.emplace("has_link", *settings.has_link);
  put_number(value, "speed_mbps", settings.speed_mbps);
  put_number(value, "capable_mbps", settings.capable_mbps);
  if (settings.auto_negotiation) value.emplace("auto_negotiation", *settings.auto_negotiation);
  return Value{std::move(value)};
}

// {"active", "configured", "uncorrectable_blocks"}
Result<Value> parse_ethtool_fec(std::string_view text) {
  const platform::FecReading fec = FABRIC_TRY(platform::parse_fec(text));
  Map value{{"active", fec.active}, {"configured", to_list(fec.configured)}};
  put_number(value, "uncorrectable_blocks", fec.uncorrectable_blocks);
  return Value{std::move(value)};
}

// {"identifier", "vendor", "part_number", "serial", "copper", "temperature", "temperature_most",
// "received_dbm", "received_least", "alarms"}; a dark lane is null.
Result<Value> parse_ethtool_module(std::string_view text) {
  return module_value(FABRIC_TRY(platform::parse_module(text)));
}

// {"state", "speed", "fec", "why_down", "raw_ber", "effective_ber", "module"}
Result<Value> parse_mlxlink(std::string_view text) {
  const platform::CardLink link = FABRIC_TRY(platform::parse_mlxlink(text));
  Map value{
      {"state", link.state}, {"speed", link.speed}, {"fec", link.fec}, {"why_down", link.why_down}};
  put_decimal(value, "raw_ber", link.raw_ber);
  put_decimal(value, "effective_ber", link.effective_ber);
  if (link.module) value.emplace("module", module_value(*link.module));
  return Value{std::move(value)};
}

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
    std::ranges::sort(all, [](const Parser& a, const Parser& b) { return a.kind < b.kind; });
    return all;
  }();
  return table;
}

}  // namespace fabric::providers
