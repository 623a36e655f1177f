// SPDX-License-Identifier: Apache-2.0
#include "providers/esx/parsers/esxcfg_module.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/esxi/machine/esxi_platform.hpp"
#include "providers/esxi/parsers/esxcli_lists.hpp"
#include "providers/esxi/parsers/esxcli_network.hpp"
#include "providers/esxi/parsers/mst_status.hpp"
#include "providers/platform_entry.hpp"

namespace fabric::providers {

PlatformEntry esxi_entry() {
  return {
      .machine = platform::esxi_platform(),
      .kinds =
          {
              esxi::adapter_provider(),
              esxi::drain_provider(),
              esxi::module_provider(),
              esxi::os_provider(),
              esxi::passthrough_provider(),
              esxi::recovery_provider(),
              esxi::settings_provider(),
              esxi::software_provider(),
              esxi::sriov_provider(),
              esxi::vswitch_provider(),
          },
      .parsers =
          {
              {"esxcfg-module",
               "options of a driver on ESXi, `esxcfg-module -g MODULE`",
               as_value<parse_esxcfg_module>},
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
              {"mst-status",
               "devices of the firmware tools, `mst status` or `mst status -vv`",
               as_value<parse_mst_status>},
          },
      .see = [](const NodeFacts& facts) -> std::optional<SeenNode> {
        return esxi::see_host(facts);
      }};
}

}  // namespace fabric::providers
