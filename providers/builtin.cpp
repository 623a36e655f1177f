#include "providers/builtin.hpp"

#include "providers/adapter/adapter.hpp"
#include "providers/bond/bond.hpp"
#include "providers/cable/cable.hpp"
#include "providers/drain/drain.hpp"
#include "providers/firmware/firmware.hpp"
#include "providers/interface/interface.hpp"
#include "providers/ipoib/ipoib.hpp"
#include "providers/link_name/link_name.hpp"
#include "providers/module/module.hpp"
#include "providers/os/os.hpp"
#include "providers/package/package.hpp"
#include "providers/settings/settings.hpp"
#include "providers/software/software.hpp"
#include "providers/sriov/sriov.hpp"
#include "providers/subnet_manager/subnet_manager.hpp"
#include "providers/sysctl/sysctl.hpp"
#include "providers/vlan/vlan.hpp"

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
