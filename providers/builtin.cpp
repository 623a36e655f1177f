#include "providers/builtin.hpp"

#include "engine/platform/linux/linux_platform.hpp"
#include "providers/linux/adapter/adapter.hpp"
#include "providers/linux/bond/bond.hpp"
#include "providers/linux/cable/cable.hpp"
#include "providers/linux/drain/drain.hpp"
#include "providers/linux/firmware/firmware.hpp"
#include "providers/linux/interface/interface.hpp"
#include "providers/linux/ipoib/ipoib.hpp"
#include "providers/linux/link_name/link_name.hpp"
#include "providers/linux/module/module.hpp"
#include "providers/linux/os/os.hpp"
#include "providers/linux/package/package.hpp"
#include "providers/linux/settings/settings.hpp"
#include "providers/linux/software/software.hpp"
#include "providers/linux/sriov/sriov.hpp"
#include "providers/linux/subnet_manager/subnet_manager.hpp"
#include "providers/linux/sysctl/sysctl.hpp"
#include "providers/linux/vlan/vlan.hpp"

namespace fabric::providers {

namespace {

void add_linux(Registry& registry) {
  registry.add(platform::linux_platform());
  const auto add = [&registry](std::unique_ptr<Provider> provider) {
    registry.add(Platform::linux, std::move(provider));
  };
  add(std::make_unique<AdapterProvider>());
  add(std::make_unique<BondProvider>());
  add(std::make_unique<CableProvider>("cable"));
  add(std::make_unique<CableProvider>("carrier"));
  add(std::make_unique<DrainProvider>());
  add(std::make_unique<FirmwareProvider>());
  add(std::make_unique<InterfaceProvider>());
  add(std::make_unique<IpoibProvider>());
  add(std::make_unique<LinkNameProvider>());
  add(std::make_unique<ModuleProvider>());
  add(std::make_unique<OsProvider>());
  add(std::make_unique<PackageProvider>());
  add(std::make_unique<SettingsProvider>());
  add(std::make_unique<SoftwareProvider>());
  add(std::make_unique<SriovProvider>());
  add(std::make_unique<SubnetManagerProvider>());
  add(std::make_unique<SysctlProvider>());
  add(std::make_unique<TuningProvider>());
  add(std::make_unique<VlanProvider>());
}

}  // namespace

void add_builtin_providers(Registry& registry) {
  add_linux(registry);
}

}  // namespace fabric::providers
