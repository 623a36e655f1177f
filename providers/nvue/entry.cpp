// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/rows.hpp"
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/machine/nvue_platforms.hpp"
#include "providers/nvue/parsers/nvue_json.hpp"
#include "providers/platform_entry.hpp"

namespace fabric::providers {

namespace {

std::optional<SeenNode> see_nvue(const NodeFacts& facts) {
  return nvue::see_switch(facts);
}

}  // namespace

// Records of begun hooks are files of fabric on a Linux system (drain_provider).
PlatformEntry cumulus_entry() {
  return {
      .machine = platform::cumulus_platform(),
      .kinds =
          {
              drain_provider(),
              nvue::bond_provider(),
              nvue::mlag_provider(),
              nvue::os_provider(),
              nvue::port_provider(),
              nvue::qos_provider(),
              nvue::vlan_provider(),
          },
      .parsers =
          {
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
          },
      .see = see_nvue};
}

PlatformEntry nvos_entry() {
  return {
      .machine = platform::nvos_platform(),
      .kinds =
          {
              drain_provider(),
              nvue::manager_provider(),
              nvue::os_provider(),
              nvue::port_provider(),
          },
      .parsers = {},
      .see = see_nvue};
}

}  // namespace fabric::providers
