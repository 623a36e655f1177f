// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/machine/mlnxos_platform.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"
#include "providers/platform_entry.hpp"

namespace fabric::providers {

PlatformEntry mlnx_os_entry() {
  return {
      .machine = platform::mlnxos_platform(),
      .kinds =
          {
              onyx::bond_provider(),
              onyx::configuration_provider(),
              onyx::manager_provider(),
              onyx::mlag_provider(),
              onyx::os_provider(),
              onyx::port_provider(),
              onyx::qos_provider(),
              onyx::vlan_provider(),
          },
      .parsers =
          {
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
              {"onyx-show",
               "a show command of an Onyx or MLNX-OS switch",
               as_value<parse_onyx_show>},
          },
      .see = [](const NodeFacts& facts) -> std::optional<SeenNode> {
        return onyx::see_switch(facts);
      }};
}

}  // namespace fabric::providers
