#include "providers/builtin.hpp"

#include "providers/adapter/adapter.hpp"
#include "providers/interface/interface.hpp"
#include "providers/link_name/link_name.hpp"
#include "providers/settings/settings.hpp"
#include "providers/sysctl/sysctl.hpp"

namespace fabric::providers {

void add_builtin_providers(Registry& registry) {
  registry.add(std::make_unique<AdapterProvider>());
  registry.add(std::make_unique<InterfaceProvider>());
  registry.add(std::make_unique<LinkNameProvider>());
  registry.add(std::make_unique<SettingsProvider>());
  registry.add(std::make_unique<SysctlProvider>());
}

}  // namespace fabric::providers
