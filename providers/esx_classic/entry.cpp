// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/kinds/rows.hpp"
#include "providers/esx_classic/machine/esx_classic_platform.hpp"
#include "providers/esx_classic/parsers/esxcfg_lists.hpp"
#include "providers/platform_entry.hpp"

namespace fabric::providers {

PlatformEntry esx_classic_entry() {
  return {
      .machine = platform::esx_classic_platform(),
      .kinds =
          {
              esx_classic::adapter_provider(),
              esx_classic::drain_provider(),
              esx_classic::module_provider(),
              esx_classic::os_provider(),
              esx_classic::settings_provider(),
              esx_classic::software_provider(),
          },
      .parsers = {
          {"esxcfg-nics", "NICs of ESX, `esxcfg-nics -l`", as_value<parse_esxcfg_nics>},
          {"esxupdate-query",
           "bulletins of ESX 4, `esxupdate query`",
           as_value<parse_esxupdate_query>},
          {"lspci-numbers", "PCI functions by number, `lspci -n`", as_value<parse_lspci_numbers>},
      }};
}

}  // namespace fabric::providers
