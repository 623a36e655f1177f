// SPDX-License-Identifier: Apache-2.0
#include "engine/model/resource_keys.hpp"
#include "providers/linux/kinds/host/linux_host.hpp"
#include "providers/linux/kinds/kinds.hpp"
#include "providers/linux/machine/linux_platform.hpp"
#include "providers/linux/parsers/config_files.hpp"
#include "providers/platform_entry.hpp"

namespace fabric::providers {

namespace {

std::vector<std::unique_ptr<Provider>> kinds_of_linux() {
  auto all = one_of_each<
      AdapterProvider,
      DrainProvider,
      FirmwareProvider,
      ForwardingProvider,
      LinkNameProvider,
      ModuleProvider,
      OsProvider,
      PackageProvider,
      QosProvider,
      SettingsProvider,
      SoftwareProvider,
      SriovProvider,
      SubnetManagerProvider,
      SysctlProvider,
      TuningProvider>();
  all.push_back(std::make_unique<LinkProvider>(kinds::kBond));
  all.push_back(std::make_unique<CableProvider>("cable"));
  all.push_back(std::make_unique<CableProvider>("carrier"));
  all.push_back(std::make_unique<LinkProvider>(kinds::kInterface));
  all.push_back(std::make_unique<LinkProvider>(kinds::kIpoib));
  all.push_back(std::make_unique<LinkProvider>(kinds::kVlan));
  return all;
}

}  // namespace

PlatformEntry linux_entry() {
  return {
      .machine = platform::linux_platform(),
      .kinds = kinds_of_linux,
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
