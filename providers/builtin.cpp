#include "providers/builtin.hpp"

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

void add_builtin_providers(Registry& registry) {
  registry.add(std::make_unique<AdapterProvider>());
  registry.add(std::make_unique<BondProvider>());
  registry.add(std::make_unique<CableProvider>("cable"));
  registry.add(std::make_unique<CableProvider>("carrier"));
  registry.add(std::make_unique<DrainProvider>());
  registry.add(std::make_unique<FirmwareProvider>());
  registry.add(std::make_unique<InterfaceProvider>());
  registry.add(std::make_unique<IpoibProvider>());
  registry.add(std::make_unique<LinkNameProvider>());
  registry.add(std::make_unique<ModuleProvider>());
  registry.add(std::make_unique<OsProvider>());
  registry.add(std::make_unique<PackageProvider>());
  registry.add(std::make_unique<SettingsProvider>());
  registry.add(std::make_unique<SoftwareProvider>());
  registry.add(std::make_unique<SriovProvider>());
  registry.add(std::make_unique<SubnetManagerProvider>());
  registry.add(std::make_unique<SysctlProvider>());
  registry.add(std::make_unique<TuningProvider>());
  registry.add(std::make_unique<VlanProvider>());
}

}  // namespace fabric::providers
