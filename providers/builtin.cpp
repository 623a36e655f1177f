// SPDX-License-Identifier: Apache-2.0
#include "providers/builtin.hpp"

#include "engine/model/resource_keys.hpp"
#include "providers/esx_classic/kinds/kinds.hpp"
#include "providers/esx_classic/machine/esx_classic_platform.hpp"
#include "providers/esxi/kinds/kinds.hpp"
#include "providers/esxi/machine/esxi_platform.hpp"
#include "providers/linux/kinds/host/linux_host.hpp"
#include "providers/linux/kinds/kinds.hpp"
#include "providers/linux/machine/linux_platform.hpp"
#include "providers/mlnx_os/kinds/kinds.hpp"
#include "providers/mlnx_os/machine/mlnxos_platform.hpp"
#include "providers/nvue/kinds/kinds.hpp"
#include "providers/nvue/machine/nvue_platforms.hpp"

namespace fabric::providers {

namespace {

void add_linux(Registry& registry) {
  registry.add(platform::linux_platform());
  const auto add = [&registry](std::unique_ptr<Provider> provider) {
    registry.add(Platform::linux, std::move(provider));
  };
  add(std::make_unique<AdapterProvider>());
  add(std::make_unique<LinkProvider>(kinds::kBond));
  add(std::make_unique<CableProvider>("cable"));
  add(std::make_unique<CableProvider>("carrier"));
  add(std::make_unique<DrainProvider>());
  add(std::make_unique<FirmwareProvider>());
  add(std::make_unique<ForwardingProvider>());
  add(std::make_unique<LinkProvider>(kinds::kInterface));
  add(std::make_unique<LinkProvider>(kinds::kIpoib));
  add(std::make_unique<LinkNameProvider>());
  add(std::make_unique<ModuleProvider>());
  add(std::make_unique<OsProvider>());
  add(std::make_unique<PackageProvider>());
  add(std::make_unique<QosProvider>());
  add(std::make_unique<SettingsProvider>());
  add(std::make_unique<SoftwareProvider>());
  add(std::make_unique<SriovProvider>());
  add(std::make_unique<SubnetManagerProvider>());
  add(std::make_unique<SysctlProvider>());
  add(std::make_unique<TuningProvider>());
  add(std::make_unique<LinkProvider>(kinds::kVlan));
}

void add_esxi(Registry& registry) {
  registry.add(platform::esxi_platform());
  const auto add = [&registry](std::unique_ptr<Provider> provider) {
    registry.add(Platform::esxi, std::move(provider));
  };
  add(std::make_unique<esxi::AdapterProvider>());
  add(std::make_unique<esxi::DrainProvider>());
  add(std::make_unique<esxi::ModuleProvider>());
  add(std::make_unique<esxi::OsProvider>());
  add(std::make_unique<esxi::RecoveryProvider>());
  add(std::make_unique<esxi::SettingsProvider>());
  add(std::make_unique<esxi::SoftwareProvider>());
  add(std::make_unique<esxi::SriovProvider>());
  add(std::make_unique<esxi::VswitchProvider>());
}

void add_esx_classic(Registry& registry) {
  registry.add(platform::esx_classic_platform());
  const auto add = [&registry](std::unique_ptr<Provider> provider) {
    registry.add(Platform::esx_classic, std::move(provider));
  };
  add(std::make_unique<esx_classic::AdapterProvider>());
  add(std::make_unique<esx_classic::DrainProvider>());
  add(std::make_unique<esx_classic::ModuleProvider>());
  add(std::make_unique<esx_classic::OsProvider>());
  add(std::make_unique<esx_classic::SettingsProvider>());
  add(std::make_unique<esx_classic::SoftwareProvider>());
}

// Notes of what hooks have begun are files of ours on a Linux system (DrainProvider).
void add_cumulus(Registry& registry) {
  registry.add(platform::cumulus_platform());
  const auto add = [&registry](std::unique_ptr<Provider> provider) {
    registry.add(Platform::cumulus, std::move(provider));
  };
  add(std::make_unique<DrainProvider>());
  add(std::make_unique<nvue::BondProvider>());
  add(std::make_unique<nvue::MlagProvider>());
  add(std::make_unique<nvue::OsProvider>());
  add(std::make_unique<nvue::PortProvider>());
  add(std::make_unique<nvue::QosProvider>());
  add(std::make_unique<nvue::VlanProvider>());
}

void add_nvos(Registry& registry) {
  registry.add(platform::nvos_platform());
  const auto add = [&registry](std::unique_ptr<Provider> provider) {
    registry.add(Platform::nvos, std::move(provider));
  };
  add(std::make_unique<DrainProvider>());
  add(std::make_unique<nvue::ManagerProvider>());
  add(std::make_unique<nvue::OsProvider>());
  add(std::make_unique<nvue::PortProvider>());
}

void add_mlnxos(Registry& registry) {
  registry.add(platform::mlnxos_platform());
  const auto add = [&registry](std::unique_ptr<Provider> provider) {
    registry.add(Platform::mlnx_os, std::move(provider));
  };
  add(std::make_unique<onyx::BondProvider>());
  add(std::make_unique<onyx::ConfigurationProvider>());
  add(std::make_unique<onyx::ManagerProvider>());
  add(std::make_unique<onyx::MlagProvider>());
  add(std::make_unique<onyx::OsProvider>());
  add(std::make_unique<onyx::PortProvider>());
  add(std::make_unique<onyx::QosProvider>());
  add(std::make_unique<onyx::VlanProvider>());
}

}  // namespace

void add_builtin_providers(Registry& registry) {
  add_linux(registry);
  add_esxi(registry);
  add_esx_classic(registry);
  add_cumulus(registry);
  add_nvos(registry);
  add_mlnxos(registry);
}

std::optional<SeenNode> see_node(const NodeFacts& facts) {
  if (facts.platform != Platform::linux) return std::nullopt;
  return see_linux_host(facts);
}

}  // namespace fabric::providers
