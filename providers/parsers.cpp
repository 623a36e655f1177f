#include "providers/parsers.hpp"

#include "providers/parsers/card_tools.hpp"
#include "providers/parsers/ip_json.hpp"
#include "providers/parsers/mlxconfig_query.hpp"

namespace fabric::providers {

namespace {

Result<Value> ip_links(std::string_view text) {
  return to_value(FABRIC_TRY(parse_ip_json(text)));
}

Result<Value> mlxconfig_query(std::string_view text) {
  return to_value(FABRIC_TRY(parse_mlxconfig_query(text)));
}

}  // namespace

const std::vector<Parser>& parsers() {
  static const std::vector<Parser> table{
      {"ethtool-i", "driver and firmware of an interface, `ethtool -i DEV`", parse_ethtool_info},
      {"ip-link-json",
       "network interfaces, `ip -j -d link show` or `ip -j -d addr show`",
       ip_links},
      {"lspci-link", "PCIe link speed and width, `lspci -vv`", parse_lspci_link},
      {"mlxconfig-query", "settings of a card, `mstconfig q` or `mlxconfig q`", mlxconfig_query},
      {"mstflint-query", "firmware of a card, `mstflint q` or `flint q`", parse_mstflint_query},
  };
  return table;
}

}  // namespace fabric::providers
