// SPDX-License-Identifier: Apache-2.0
#include "engine/model/resource_keys.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/machine/linux_platform.hpp"
#include "providers/linux/parsers/config_files.hpp"
#include "providers/platform_entry.hpp"

namespace fabric::providers {

PlatformEntry linux_entry() {
  return {
      .machine = platform::linux_platform(),
      .kinds =
          {
              adapter_provider(),
              cable_provider("cable"),
              cable_provider("carrier"),
              drain_provider(),
              firmware_provider(),
              forwarding_provider(),
              link_name_provider(),
              link_provider(kinds::kBond),
              link_provider(kinds::kInterface),
              link_provider(kinds::kIpoib),
              link_provider(kinds::kVlan),
              module_provider(),
              os_provider(),
              package_provider(),
              qos_provider(),
              settings_provider(),
              software_provider(),
              sriov_provider(),
              subnet_manager_provider(),
              sysctl_provider(kinds::kSysctl),
              sysctl_provider(kinds::kTuning),
          },
      .parsers =
          {
              {"ifcfg", "a file of /etc/sysconfig/network-scripts", parse_ifcfg},
              {"interfaces", "/etc/network/interfaces and the files it sources", parse_interfaces},
              {"netplan", "a file of /etc/netplan", parse_netplan},
              {"networkd", "a .network, .netdev or .link file of systemd", parse_networkd},
              {"nm-keyfile", "a connection profile of NetworkManager", parse_keyfile},
          },
      .see = [](const NodeFacts& facts) -> std::optional<SeenNode> {
        return see_linux_host(facts);
      }};
}

}  // namespace fabric::providers
